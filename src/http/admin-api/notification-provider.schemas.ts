import { z } from 'zod';
import type {
  ProviderPlan,
  ProviderRecord,
} from '../../domain/notifications/providers/notification-providers.store.js';
import type { ProviderKind, SmtpTls } from '../../domain/notifications/providers/provider.js';
import type { TestOutcome } from '../../domain/notifications/providers/send-test-message.js';
import { ApiError } from '../../domain/shared/errors.js';
import { line, name } from '../../domain/shared/text-schemas.js';
import { isEmailAddress } from '../../domain/users/email-address.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../shared/answers.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { failedWithFields } from '../shared/schemas/notification.schemas.js';
import { wireEnum } from '../shared/schemas/wire-enum.js';

const KINDS = {
  smtp: 'smtp',
  twilio_messages: 'twilio_messages',
  twilio_verify: 'twilio_verify',
  http: 'http',
} as const satisfies Record<string, ProviderKind>;
const TLS = {
  implicit: 'implicit',
  starttls: 'starttls',
  opportunistic: 'opportunistic',
  none: 'none',
} as const satisfies Record<string, SmtpTls>;

function number(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z.number({ error: rule }).int(rule).min(least, rule).max(most, rule);
}

function matching(form: RegExp, rule: string) {
  return z.string().max(500, 'must have at most 500 characters').regex(form, rule).optional();
}

/** A secret is taken as it is: a space at its end belongs to it. */
function secret(least: number) {
  const rule = `must have ${least} to 500 characters`;
  return z
    .string()
    .min(least, rule)
    .max(500, rule)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .optional();
}

const NAME_AND_ADDRESS = /^[^<>@"]*<([^<>]+)>$/;

/** `ada@example.com` or `Ada <ada@example.com>`. */
function mailbox() {
  return z
    .string()
    .max(320, 'must have at most 320 characters')
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .refine(
      (given) => isEmailAddress(NAME_AND_ADDRESS.exec(given)?.[1] ?? given),
      'must be an e-mail address, with a name in front of it or without',
    )
    .optional();
}

const providerFields = z.strictObject({
  kind: wireEnum(KINDS),
  name: name(),
  /** Of a webhook: the others have one each. */
  channel: wireEnum({ email: 'email', sms: 'sms' }).optional(),
  priority: number(0, 999_999).default(100),
  ratePerSecond: number(1, 100_000).optional(),
  connections: number(1, 100).default(8),
  host: line(253).optional(),
  port: number(1, 65_535).optional(),
  tls: wireEnum(TLS).optional(),
  user: secret(1),
  password: secret(1),
  from: z.string().max(320, 'must have at most 320 characters').optional(),
  replyTo: mailbox(),
  accountSid: matching(/^AC[0-9a-fA-F]{32}$/, 'must be AC and 32 hexadecimal digits'),
  authToken: secret(1),
  messagingServiceSid: matching(/^MG[0-9a-fA-F]{32}$/, 'must be MG and 32 hexadecimal digits'),
  verifyServiceSid: matching(/^VA[0-9a-fA-F]{32}$/, 'must be VA and 32 hexadecimal digits'),
  url: line(2000).optional(),
  signingKey: secret(32),
});
type ProviderFields = z.output<typeof providerFields>;

/** What else each kind cannot do without, for whoever reads the document; `planOf` asks for it. */
const NEEDED = ofKind(
  'smtp',
  ['host', 'from'],
  ofKind(
    'http',
    ['channel', 'url'],
    ofKind('twilio_verify', ['accountSid', 'verifyServiceSid'], {
      required: ['accountSid'],
      oneOf: [{ required: ['from'] }, { required: ['messagingServiceSid'] }],
    }),
  ),
);

function ofKind(kind: ProviderKind, needed: readonly string[], otherwise: object) {
  return {
    if: { properties: { kind: { enum: [kind] } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, which nobody awaits
    then: { required: needed },
    else: otherwise,
  };
}

/** One of each kind. */
const EXAMPLES = [
  {
    kind: 'smtp',
    name: 'Mail relay',
    host: 'smtp.example.com',
    port: 587,
    tls: 'starttls',
    user: 'mailer',
    password: 'not-a-real-password',
    from: 'Acme <no-reply@example.com>',
  },
  {
    kind: 'http',
    name: 'Webhook for short messages',
    channel: 'sms',
    url: 'https://messages.example.com/send',
    signingKey: 'not-a-real-signing-key-not-a-real-one',
  },
  {
    kind: 'twilio_messages',
    name: 'Twilio',
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'not-a-real-token',
    from: '+41791234567',
  },
  {
    kind: 'twilio_verify',
    name: 'Twilio Verify',
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'not-a-real-token',
    verifyServiceSid: `VA${'0'.repeat(32)}`,
  },
];

/** What a provider is to be, and its secret. */
export const providerBody = providerFields.meta({ ...NEEDED, examples: EXAMPLES }).transform(planOf);

export const providerTestBody = z
  .strictObject({ to: line(200) })
  .meta({ examples: [{ to: 'ada@example.com' }] });

const EVERY_KIND = ['kind', 'name', 'channel', 'priority', 'ratePerSecond', 'connections'];
const FIELDS: Readonly<Record<ProviderKind, readonly string[]>> = {
  smtp: ['host', 'port', 'tls', 'user', 'password', 'from', 'replyTo'],
  twilio_messages: ['accountSid', 'authToken', 'from', 'messagingServiceSid'],
  twilio_verify: ['accountSid', 'authToken', 'verifyServiceSid'],
  http: ['url', 'signingKey'],
};

/** @throws ApiError invalid-argument */
function planOf(body: ProviderFields): { plan: ProviderPlan; secret: string | undefined } {
  const known = new Set([...EVERY_KIND, ...FIELDS[body.kind]]);
  for (const [name, value] of Object.entries(body)) {
    if (value !== undefined && !known.has(name)) refuse(`${name} is not a field of ${body.kind}`);
  }
  const { name, priority, connections, ratePerSecond = null } = body;
  const common = { name, priority, connections, ratePerSecond };
  const channel = channelOf(body);
  switch (body.kind) {
    case 'smtp':
      return {
        plan: { ...common, kind: 'smtp', channel: 'email', settings: smtpSettings(body) },
        secret: body.password,
      };
    case 'twilio_messages':
      return {
        plan: { ...common, kind: 'twilio_messages', channel: 'sms', settings: senderOf(body) },
        secret: body.authToken,
      };
    case 'twilio_verify': {
      const settings = {
        accountSid: required('accountSid', body.accountSid),
        verifyServiceSid: required('verifyServiceSid', body.verifyServiceSid),
      };
      return { plan: { ...common, kind: 'twilio_verify', channel: 'sms', settings }, secret: body.authToken };
    }
    case 'http': {
      const settings = { url: required('url', body.url) };
      return { plan: { ...common, kind: 'http', channel, settings }, secret: body.signingKey };
    }
  }
}

function channelOf({ kind, channel }: ProviderFields): 'email' | 'sms' {
  if (kind === 'http') return required('channel', channel);
  const own = kind === 'smtp' ? 'email' : 'sms';
  if (channel !== undefined && channel !== own) refuse(`channel of ${kind} is ${own}`);
  return own;
}

function smtpSettings(body: ProviderFields) {
  const { tls = 'starttls', user, replyTo } = body;
  const from = required('from', body.from);
  const sender = mailbox().safeParse(from);
  if (!sender.success) refuse(`from ${sender.error.issues[0]?.message ?? 'is invalid'}`);
  // a password in the clear is everybody's who listens
  if (user !== undefined && (tls === 'none' || tls === 'opportunistic')) {
    refuse('tls must be implicit or starttls if a user is given');
  }
  return {
    host: required('host', body.host),
    port: body.port ?? (tls === 'implicit' ? 465 : 587),
    tls,
    ...(user === undefined ? {} : { user }),
    from,
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

function senderOf(body: ProviderFields) {
  const accountSid = required('accountSid', body.accountSid);
  const { from, messagingServiceSid } = body;
  if ((from === undefined) === (messagingServiceSid === undefined)) {
    refuse('from or messagingServiceSid is required, and only one of them');
  }
  if (messagingServiceSid !== undefined) return { accountSid, messagingServiceSid };
  // a number, a short code, or a name of letters and digits
  if (!/^(\+[1-9][0-9]{6,14}|[0-9]{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/.test(from ?? '')) {
    refuse('from must be a number such as +41791234567 or a name of up to 11 letters and digits');
  }
  return { accountSid, from };
}

function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) refuse(`${name} is required`);
  return value;
}

function refuse(sentence: string): never {
  throw new ApiError('invalid-argument', sentence);
}

const STATES = { active: 'STATE_ACTIVE', inactive: 'STATE_INACTIVE' } as const;

/** Everything but the secret, which nobody is shown. */
export const providerAnswer = answerFrom(
  z.object({
    id: idSchema,
    /** Of a stored one. */
    details: detailsOfRecord.optional(),
    state: z.enum(STATES),
    source: z.enum(['api', 'configuration']),
    kind: z.enum(['smtp', 'twilio_messages', 'twilio_verify', 'http']),
    channel: z.enum(['email', 'sms']),
    name: z.string(),
    priority: z.number().int(),
    ratePerSecond: z.number().int().optional(),
    connections: z.number().int(),
    host: z.string().optional(),
    port: z.number().int().optional(),
    tls: z.enum(['implicit', 'starttls', 'opportunistic', 'none']).optional(),
    user: z.string().optional(),
    from: z.string().optional(),
    replyTo: z.string().optional(),
    accountSid: z.string().optional(),
    messagingServiceSid: z.string().optional(),
    verifyServiceSid: z.string().optional(),
    url: z.string().optional(),
  }),
  ({ provider, state, details }: ProviderRecord) => ({
    ...provider,
    ...provider.settings,
    details,
    state: STATES[state],
    source: details === undefined ? ('configuration' as const) : ('api' as const),
    ratePerSecond: provider.ratePerSecond ?? undefined,
  }),
);

export const createdProviderAnswer = z.object({ id: idSchema, details: detailsOfCreation });

export const providerTestAnswer = answerFrom(
  z.object({
    accepted: z.boolean(),
    /** The provider's name for the message. */
    providerMessageId: z.string().optional(),
    /** Why it was not accepted, as the ledger would say it. */
    reason: z.string().optional(),
    failure: z.enum(['retryable', 'terminal', 'ambiguous']).optional(),
    retryAfter: z.string().optional(),
    /** The provider's own words, cut short. */
    said: z.string().optional(),
    ...failedWithFields,
  }),
  (outcome: TestOutcome) => {
    if (outcome.accepted) return { accepted: true, providerMessageId: outcome.providerMessageId };
    const { retryAfterSeconds: seconds, with: failedWith, ...told } = outcome;
    return { ...told, ...failedWith, retryAfter: seconds === undefined ? undefined : `${seconds}s` };
  },
);
