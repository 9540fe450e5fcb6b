import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { isSupportedCountry } from 'libphonenumber-js';
import { z } from 'zod';
import { debugFaults } from './debug-output.js';
import { serversOf, serversProblem, withAccountOf, withPassword } from './postgres-servers.js';
import {
  isLoopbackHost,
  redisContradictions,
  redisEnvironment,
  redisFaults,
  redisServersOf,
} from './redis-servers.js';
import { accountOf, isWellKnown, MAKE_PASSWORD } from './well-known-passwords.js';

/**
 * The only reader of the environment: one schema, one pure function from variables to a frozen `AppConfig`.
 * Every fault is reported at once. Secrets may be given as `NAME` or as `NAME_FILE`, a path to read them from.
 */

/** So many within any stretch of so much time. */
export interface Cap {
  readonly most: number;
  readonly withinSeconds: number;
}

/** Where a message costs about the same everywhere and pumping pays little. */
const QUIET_COUNTRIES =
  'AD AT AU BE BG CA CH CY CZ DE DK EE ES FI FR GB GG GR HR HU IE IM IS IT JE JP LI LT LU LV MC MT NL NO NZ PL PT RO SE SI SK SM US';

/** What ranges of numbers are for (libphonenumber's types); `unknown` are those that it does not list. */
const NUMBER_TYPES = [
  'mobile',
  'fixed_line_or_mobile',
  'fixed_line',
  'voip',
  'toll_free',
  'shared_cost',
  'premium_rate',
  'personal_number',
  'pager',
  'uan',
  'voicemail',
  'unknown',
] as const;

/** What a worker can serve: the queues by their names in the queue dashboard. */
export const QUEUE_NAMES = ['imports', 'notifications', 'notifications-bulk', 'keys', 'maintenance'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** May be given as `NAME_FILE`, too. */
export const SECRETS = [
  'MASTER_KEY',
  'MASTER_KEY_PREVIOUS',
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'DATABASE_SERVICE_PASSWORD',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_TLS_CA',
  'REDIS_TLS_CERT',
  'REDIS_TLS_KEY',
  'MTLS_CA_CERTIFICATES',
  'SMTP_URL',
  'TWILIO_AUTH_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'BOOTSTRAP_ADMIN_PASSWORD',
] as const;

/** Works out of the box on a developer's machine and is known to everybody, so production refuses it. */
const DEVELOPMENT_MASTER_KEY = Buffer.from('development-master-key-not-secret')
  .subarray(0, 32)
  .toString('base64');
const DEVELOPMENT_DATABASE_URL = 'postgres://identity:identity@127.0.0.1:5432/identity';

const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `10s`, `15m`, `12h`, `30d` → milliseconds. */
const duration = (minMs: number, maxMs: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}(ms|s|m|h|d)$/, 'must be a number with a unit: ms, s, m, h or d, as in 15m')
    .transform((text) => {
      const unit = /[a-z]+$/.exec(text)?.[0] as keyof typeof DURATION_UNITS;
      return Number.parseInt(text, 10) * DURATION_UNITS[unit];
    })
    .pipe(z.number().min(minMs, `must be at least ${minMs} ms`).max(maxMs, `must be at most ${maxMs} ms`));
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,12}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
const port = whole(0, 65_535);
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** An IP address or a network in CIDR notation, or one of the names that Fastify knows. */
const address = z.string().refine(
  (text) => {
    const [host = '', bits, ...rest] = text.split('/');
    if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
    const longest = isIP(host) === 4 ? 32 : 128;
    return (
      isIP(host) !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= longest))
    );
  },
  { message: 'must list IP addresses or networks such as 10.0.0.0/8' },
);
const key32 = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(text), {
    message: 'must be 32 bytes in base64, for example from: openssl rand -base64 32',
  });
/** `5/1h,9/1d`: so many within a time, each pair on its own; `off` for none. */
const caps = z.string().transform((text, context): readonly Cap[] => {
  if (text === 'off') return [];
  return text.split(',').map((part) => {
    const [, most, span] = /^\s*([0-9]{1,9})\/([0-9]{1,9}(?:ms|s|m|h|d))\s*$/.exec(part) ?? [];
    const within = duration(1_000, 2_592_000_000).safeParse(span);
    if (most !== undefined && within.success)
      return { most: Number(most), withinSeconds: within.data / 1000 };
    context.addIssue({ code: 'custom', message: 'must be pairs such as 5/1h,9/1d, or off' });
    return z.NEVER;
  });
});
/** An amount of money → millionths, which add up without a remainder. */
const money = z
  .string()
  .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, 'must be an amount such as 0.075')
  .transform((text) => Math.round(Number(text) * 1_000_000));
/** `default=0.10,41=0.07`: calling code of a country → what a message there costs. */
const costs = list.transform((parts, context): Readonly<Record<string, number>> => {
  const prices = parts.map((part): [string, number] => {
    const [, code, amount] = /^(default|[1-9][0-9]{0,3})=(.+)$/.exec(part) ?? [];
    const price = money.safeParse(amount);
    if (code !== undefined && price.success) return [code, price.data];
    context.addIssue({ code: 'custom', message: 'must be pairs such as default=0.10,41=0.07' });
    return z.NEVER;
  });
  const known = Object.fromEntries(prices);
  if (known['default'] === undefined)
    context.addIssue({ code: 'custom', message: 'must say what others cost: default=' });
  return known;
});
/** ISO 3166-1 alpha-2 codes of countries that have telephone numbers of their own; `*` is all of them. */
const countries = list.transform((codes, context): readonly string[] => {
  if (codes.length === 1 && codes[0] === 'none') return [];
  const unknown = codes.find((code) => code !== '*' && !isSupportedCountry(code));
  if (unknown !== undefined) {
    context.addIssue({ code: 'custom', message: 'must list countries such as CH,DE, or be * or none' });
  }
  return codes;
});
/** `*` is all of them. */
const numberTypes = list.pipe(
  z
    .array(
      z.enum([...NUMBER_TYPES, '*'], {
        error: `must list types of numbers (${NUMBER_TYPES.join(', ')}), or be *`,
      }),
    )
    .min(1, 'must name a type of numbers such as mobile'),
);
/** An address of keys by https; on a developer's machine by http. */
const keysAddress = z.url({ protocol: /^https?$/, error: 'must be an https address' });
const publicKey = z
  .looseObject({ kty: z.string(), kid: z.string().min(1) })
  .refine((key) => !('d' in key) && !('k' in key), 'must be a public key');
const statementIssuer = z
  .strictObject({
    issuer: z.string().min(1, 'must not be empty').max(2_048),
    jwksUri: keysAddress.optional(),
    jwks: z.object({ keys: z.array(publicKey).min(1).max(20) }).optional(),
  })
  .refine(
    ({ jwksUri, jwks }) => (jwksUri === undefined) !== (jwks === undefined),
    'has either jwksUri or jwks',
  );
/** A list in JSON: who they are, and their public keys. */
const statementIssuers = z.string().transform((text, context) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a list in JSON' });
    return z.NEVER;
  }
  const parsed = z.array(statementIssuer).max(100).safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  context.addIssue({
    code: 'custom',
    message: `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  });
  return z.NEVER;
});

const publicUrl = z.string().transform((text, context) => {
  const problem = publicUrlProblem(text);
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  }
  return text;
});

/** Names that have a meaning of their own: a value of theirs would be taken for a certificate. */
const NO_CERTIFICATE_HEADERS = new Set([
  'authorization',
  'cookie',
  'dpop',
  'forwarded',
  'host',
  'x-forwarded-for',
]);
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header such as Client-Cert')
  .transform((name) => name.toLowerCase())
  .refine((name) => !NO_CERTIFICATE_HEADERS.has(name), 'must be a header that nothing else is sent in');
/** Certificates of authorities one after another in PEM; each with the lines around it. */
const authorities = z.string().transform((text, context): readonly string[] => {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (found.length > 0 && found.every(isAuthority)) return found;
  context.addIssue({ code: 'custom', message: 'must be certificates of authorities in PEM' });
  return z.NEVER;
});
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

/** Of a range API: the digits of the hash are put behind it. */
const rangeUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((text) => (text.endsWith('/') ? text : `${text}/`));

/** Of one server or several (postgres-servers.ts), of which one takes writes unless `any` will do. */
const postgresUrl = (which?: 'any') =>
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .superRefine((text, context) => {
      const problem = serversProblem(text, which);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });

function twilioSid(prefix: 'AC' | 'MG' | 'VA') {
  // another kind of id, such as that of an API key, is the usual mistake
  return z.string().regex(new RegExp(`^${prefix}[0-9A-Za-z]{1,62}$`), `must begin with ${prefix}`);
}

/** The issuer is compared byte for byte by clients, so the URL must be written exactly one way. */
function publicUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL such as https://id.example.com';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  if (url.pathname !== '/' || text !== url.origin) {
    return `must be an origin without path or trailing slash, in canonical form (${url.origin})`;
  }
  return undefined;
}

/** `name=value,name=value`, values percent-encoded: how OpenTelemetry writes headers and attributes in a variable. */
const baggage = z.string().transform((text, context) => {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const read = pairs.map((pair) => /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!-~]*)\s*$/.exec(pair));
  const values = read.map((found) => [found?.[1], decoded(found?.[2])] as const);
  if (values.every((pair): pair is readonly [string, string] => pair.every((part) => part !== undefined))) {
    return Object.fromEntries(values);
  }
  context.addIssue({ code: 'custom', message: 'must be name=value,name=value, values percent-encoded' });
  return z.NEVER;
});

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function perHourAndDay(hour: number, day: number): readonly Cap[] {
  return [
    { most: hour, withinSeconds: 3_600 },
    { most: day, withinSeconds: 86_400 },
  ];
}

/** Every variable with its default; the README's table is held to it. */
export const environment = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  PUBLIC_URL: publicUrl.default('http://localhost:8080'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  OPS_HOST: z.string().default('127.0.0.1'),
  OPS_PORT: port.optional(),
  TRUSTED_PROXIES: list.pipe(z.array(address)).default([]),
  DATABASE_URL: postgresUrl().default(DEVELOPMENT_DATABASE_URL),
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_DIRECT_URL: postgresUrl().optional(),
  DATABASE_READ_URL: postgresUrl('any').optional(),
  DATABASE_READ_LAG: duration(2_000, 3_600_000).default(10_000),
  DATABASE_SERVICE_ROLE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be the name of a role: lower-case letters, digits and _')
    .optional(),
  DATABASE_SERVICE_PASSWORD: z.string().optional(),
  DATABASE_POOL_SIZE: whole(2, 500).default(10),
  DATABASE_PIPELINE_CONNECTIONS: whole(0, 16).default(2),
  ...redisEnvironment,
  QUEUE_BACKEND: z.enum(['redis', 'postgres']).default('redis'),
  QUEUE_DASHBOARD_WRITES: z.enum(['true', 'false']).default('false'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
    .default('identity'),
  MASTER_KEY: key32.default(DEVELOPMENT_MASTER_KEY),
  MASTER_KEY_PREVIOUS: list.pipe(z.array(key32)).default([]),
  MTLS_CERTIFICATE_HEADER: headerName.optional(),
  MTLS_CERTIFICATE_FORMAT: z.enum(['rfc9440', 'pem', 'xfcc']).default('rfc9440'),
  MTLS_BASE_URL: publicUrl
    .refine((text) => text.startsWith('https://'), 'must start with https://: certificates need TLS')
    .optional(),
  MTLS_CA_CERTIFICATES: authorities.optional(),
  DPOP_NONCE: z.enum(['off', 'required']).default('off'),
  CLIENT_REGISTRATION: z.enum(['off', 'token', 'open']).default('off'),
  CLIENT_REGISTRATION_PROJECT: z.string().min(1).max(200).optional(),
  CLIENT_ID_METADATA_DOCUMENTS: z.enum(['off', 'on']).default('off'),
  SOFTWARE_STATEMENT_ISSUERS: statementIssuers.optional(),
  CLIENT_REGISTRATION_UNUSED: duration(3_600_000, 315_360_000_000).default(15_552_000_000),
  REQUEST_OBJECTS: z.enum(['refused', 'signed']).default('refused'),
  RESOURCE_INDICATORS: z.enum(['off', 'on']).default('off'),
  HYBRID_FLOW: z.enum(['off', 'on']).default('off'),
  PAIRWISE_SUBJECTS: z.enum(['off', 'on']).default('off'),
  JWT_RESPONSE_MODES: z.enum(['off', 'on']).default('off'),
  FRONT_CHANNEL_LOGOUT: z.enum(['off', 'on']).default('off'),
  SESSION_MANAGEMENT: z.enum(['off', 'on']).default('off'),
  SIGNING_ALG: z.enum(['RS256', 'PS256', 'ES256', 'EdDSA']).default('RS256'),
  ACCESS_TOKEN_LIFETIME: duration(1_000, 2_592_000_000).default(43_200_000),
  ID_TOKEN_LIFETIME: duration(1_000, 2_592_000_000).default(43_200_000),
  REFRESH_TOKEN_IDLE: duration(1_000, 315_360_000_000).default(2_592_000_000),
  REFRESH_TOKEN_ABSOLUTE: duration(1_000, 315_360_000_000).default(7_776_000_000),
  REFRESH_TOKEN_GRACE: duration(0, 300_000).default(10_000),
  SESSION_IDLE: duration(60_000, 31_536_000_000).default(259_200_000),
  SESSION_ABSOLUTE: duration(60_000, 31_536_000_000).default(864_000_000),
  CODE_LIFETIME: duration(1_000, 600_000).default(60_000),
  PASSWORD_MEMORY_KIB: whole(8, 1_048_576).default(19_456),
  PASSWORD_ITERATIONS: whole(1, 10).default(2),
  PASSWORD_PARALLELISM: whole(1, 16).default(1),
  // two hashes that share a core and its cache take a quarter longer than one after the other
  PASSWORD_SLOTS: whole(1, 64).default(Math.min(3, availableParallelism())),
  PASSWORD_SCHEMES_OFF: list.default([]),
  PASSWORD_BREACH_URL: rangeUrl.optional(),
  SIGN_IN_RESPONSE_PADDING: duration(0, 10_000).default(1_000),
  RATE_LIMIT_TOKEN: whole(0, 1_000_000).default(60),
  RATE_LIMIT_SIGN_IN: whole(0, 1_000_000).default(60),
  SIGN_IN_ALARM: whole(0, 1_000_000).default(300),
  RATE_LIMIT_FLOW: whole(0, 1_000_000).default(600),
  RATE_LIMIT_MAIL: whole(0, 1_000_000).default(20),
  RATE_LIMIT_KEYS: whole(0, 1_000_000).default(6000),
  RATE_LIMIT_REGISTRATION: whole(0, 1_000_000).default(10),
  RATE_LIMIT_REGISTRATION_ALL: whole(0, 1_000_000).default(60),
  RATE_LIMIT_REGISTRATION_DAY: whole(0, 1_000_000).default(200),
  RATE_LIMIT_API: whole(0, 1_000_000).default(6000),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
    .refine((text) => URL.canParse(text), 'must be a URL such as smtps://user:password@mail.example.com')
    .optional(),
  MAIL_FROM: z
    .string()
    .min(3)
    .max(320)
    .refine((text) => !/[\r\n]/.test(text), 'must be one line')
    .default('Identity Service <no-reply@localhost>'),
  TWILIO_ACCOUNT_SID: twilioSid('AC').optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_FROM: z.string().optional(),
  TWILIO_MESSAGING_SERVICE_SID: twilioSid('MG').optional(),
  TWILIO_VERIFY_SERVICE_SID: twilioSid('VA').optional(),
  TWILIO_BASE_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must be a URL')
    .optional(),
  SMS_COUNTRIES: countries.default(QUIET_COUNTRIES.split(' ')),
  SMS_NUMBER_TYPES: numberTypes.default(['mobile', 'fixed_line_or_mobile']),
  SMS_COOLDOWN: duration(0, 86_400_000).default(60_000),
  SMS_CAP_USER: caps.default(perHourAndDay(5, 9)),
  SMS_CAP_NUMBER: caps.default(perHourAndDay(5, 9)),
  SMS_CAP_PREFIX: caps.default(perHourAndDay(30, 100)),
  SMS_CAP_ADDRESS: caps.default(perHourAndDay(20, 60)),
  SMS_CAP_ORGANIZATION: caps.default(perHourAndDay(500, 2_000)),
  SMS_SPEND_CAP: money.default(50_000_000),
  SMS_COSTS: costs.default({ default: 100_000, 1: 10_000 }),
  SMS_PREFIX_TAIL: whole(2, 6).default(4),
  SMS_CONVERSION_SENDS: whole(0, 1_000_000).default(20),
  SMS_CONVERSION_PERCENT: whole(1, 100).default(10),
  SMS_CONVERSION_WINDOW: duration(60_000, 2_592_000_000).default(86_400_000),
  SMS_CONVERSION_GRACE: duration(0, 3_600_000).default(300_000),
  SMS_BLOCK: duration(1_000, 2_592_000_000).default(21_600_000),
  OUTBOUND_PRIVATE_ADDRESSES: z.enum(['refuse', 'allow']).optional(),
  WORKER_QUEUES: list.pipe(z.array(z.enum(QUEUE_NAMES)).min(1)).default([...QUEUE_NAMES]),
  IMPORT_MAX_BYTES: whole(1024, 999_999_999_999).default(34_359_738_368),
  IMPORT_ORGANIZATION_BYTES: whole(1024, 999_999_999_999).default(8_589_934_592),
  IMPORT_INSTANCE_BYTES: whole(1024, 999_999_999_999).default(34_359_738_368),
  IMPORT_ORGANIZATION_JOBS: whole(1, 100_000).default(500),
  IMPORT_PRIORITY: z.enum(['requests', 'imports']).default('requests'),
  IMPORT_RETENTION: duration(60_000, 31_536_000_000).default(2_592_000_000),
  SESSION_RETENTION: duration(3_600_000, 31_536_000_000).default(2_592_000_000),
  NOTIFICATION_RETENTION: duration(86_400_000, 315_360_000_000).default(7_776_000_000),
  EVENT_RETENTION: duration(2_592_000_000, 315_360_000_000).optional(),
  HEARTBEAT_INTERVAL: duration(100, 600_000).default(5_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must start with https:// or http://')
    .refine((text) => !URL.canParse(text) || new URL(text).password === '', 'must not contain credentials')
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: baggage.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).max(200).optional(),
  OTEL_RESOURCE_ATTRIBUTES: baggage.optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number<string>().min(0).max(1).default(1),
  BOOTSTRAP_ORG_NAME: z.string().min(1).max(200).default('Default'),
  BOOTSTRAP_PRIMARY_DOMAIN: z.string().min(1).max(253).optional(),
  BOOTSTRAP_ADMIN_USER_NAME: z.string().min(1).max(200).default('admin'),
  BOOTSTRAP_ADMIN_EMAIL: z.string().min(3).max(200).optional(),
  BOOTSTRAP_ADMIN_PASSWORD: z.string().min(1).max(1024).optional(),
  BOOTSTRAP_ADMIN_LINK_FILE: z.string().min(1).max(4096).optional(),
  BOOTSTRAP_SERVICE_USER_TOKEN_FILE: z.string().min(1).max(4096).optional(),
});
type Environment = z.infer<typeof environment>;

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** A key somebody typed or padded: too few different bytes to have come from a random generator. */
function looksWeak(key: string): boolean {
  return new Set(Buffer.from(key, 'base64')).size < 12;
}

/** What `npm start` and the tests use and everybody can read here. */
const DEVELOPMENT_SECRETS: Readonly<Record<string, string>> = { TWILIO_AUTH_TOKEN: 'local-mailbox' };

/**
 * A service that other machines can reach must not run on a key that everybody knows, whether or not somebody
 * remembered to say that this is production.
 */
function masterKeyFaults(env: Environment, given: Readonly<Record<string, string | undefined>>): string[] {
  if (given['MASTER_KEY'] === undefined) {
    return ['MASTER_KEY: is required off loopback; make one with: openssl rand -base64 32'];
  }
  const named = [
    ['MASTER_KEY', [env.MASTER_KEY]],
    ['MASTER_KEY_PREVIOUS', env.MASTER_KEY_PREVIOUS],
  ] as const;
  return named.flatMap(([name, keys]) => {
    if (keys.includes(DEVELOPMENT_MASTER_KEY))
      return `${name}: is the development key, which everybody knows`;
    return keys.some(looksWeak)
      ? `${name}: is too regular to be random; make one with: openssl rand -base64 32`
      : [];
  });
}

/** Half an account sends nothing, and nobody would notice before the first SMS. */
function twilioFaults(env: Environment): string[] {
  const { TWILIO_ACCOUNT_SID: account, TWILIO_AUTH_TOKEN: token } = env;
  const senders = [env.TWILIO_FROM, env.TWILIO_MESSAGING_SERVICE_SID, env.TWILIO_VERIFY_SERVICE_SID];
  const named = senders.filter((sender) => sender !== undefined).length;
  if (account === undefined) {
    return named > 0 ? ['TWILIO_ACCOUNT_SID: is required beside the other TWILIO settings'] : [];
  }
  const faults: string[] = [];
  if (token === undefined) faults.push('TWILIO_AUTH_TOKEN: is required beside TWILIO_ACCOUNT_SID');
  if (named === 0) {
    faults.push(
      'TWILIO_FROM: is required beside TWILIO_ACCOUNT_SID, or one of TWILIO_MESSAGING_SERVICE_SID and TWILIO_VERIFY_SERVICE_SID',
    );
  }
  return faults;
}

/**
 * A database with a password that is guessed first is everybody's who reaches it. One without may be right: a socket,
 * a client certificate, a password file.
 */
function databaseFaults(env: Environment, given: Readonly<Record<string, string | undefined>>): string[] {
  const { DATABASE_URL: url } = env;
  const account = accountOf(serversOf(url)[0] ?? '');
  if (given['DATABASE_URL'] === undefined || url === DEVELOPMENT_DATABASE_URL || account === undefined)
    return [];
  const own = [account.user || given['PGUSER'], account.database || given['PGDATABASE']];
  if (account.password !== '') {
    return isWellKnown(account.password, own)
      ? [`DATABASE_URL: its password is one that everybody tries; ${MAKE_PASSWORD}`]
      : [];
  }
  const { PGPASSWORD: password } = given;
  if (password === undefined || !isWellKnown(password, own)) return [];
  return [`PGPASSWORD: is a password that everybody tries; ${MAKE_PASSWORD}`];
}

function productionFaults(env: Environment, given: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = [];
  for (const [name, secret] of Object.entries(DEVELOPMENT_SECRETS)) {
    if (given[name] === secret) faults.push(`${name}: is the development secret`);
  }
  if (!env.PUBLIC_URL.startsWith('https://') && !isLoopback(env.PUBLIC_URL)) {
    faults.push('PUBLIC_URL: must be https in production (http is for loopback only)');
  }
  if (given['PUBLIC_URL'] === undefined) faults.push('PUBLIC_URL: is required in production');
  if (given['DATABASE_URL'] === undefined || env.DATABASE_URL === DEVELOPMENT_DATABASE_URL) {
    faults.push('DATABASE_URL: is required in production and must not be the development one');
  }
  if (given['REDIS_URL'] === undefined && env.QUEUE_BACKEND === 'redis') {
    faults.push('REDIS_URL: is required in production');
  }
  faults.push(...databaseFaults(env, given), ...redisFaults(env, given), ...debugFaults(given));
  const { TWILIO_BASE_URL: twilioUrl } = env;
  if (twilioUrl !== undefined && !twilioUrl.startsWith('https://') && !isLoopback(twilioUrl)) {
    faults.push('TWILIO_BASE_URL: must be https in production (http is for loopback only)');
  }
  if (env.SIGN_IN_RESPONSE_PADDING < 250)
    faults.push('SIGN_IN_RESPONSE_PADDING: must be at least 250ms in production');
  if (env.PASSWORD_MEMORY_KIB < 7_168)
    faults.push('PASSWORD_MEMORY_KIB: must be at least 7168 in production');
  if (env.BOOTSTRAP_ADMIN_PASSWORD !== undefined && env.BOOTSTRAP_ADMIN_PASSWORD.length < 8) {
    faults.push('BOOTSTRAP_ADMIN_PASSWORD: must have at least 8 characters in production');
  }
  return faults;
}

/**
 * Adds what `NAME_FILE` variables point at; giving both forms is a fault, because one of them would be ignored. An empty
 * file is an unset variable, as an empty variable is: compose wants every secret to exist, used or not.
 */
function withSecretFiles(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  faults: string[],
): Record<string, string | undefined> {
  const merged: Record<string, string | undefined> = {};
  // an empty variable is an unset one: compose files and CI systems write them that way
  for (const [name, value] of Object.entries(given)) merged[name] = value === '' ? undefined : value;
  for (const name of SECRETS) {
    const path = merged[`${name}_FILE`];
    if (path === undefined) continue;
    let content: string;
    try {
      content = readFile(path).trim();
    } catch {
      faults.push(`${name}_FILE: cannot be read`);
      continue;
    }
    if (content === '') continue;
    if (merged[name] === undefined) merged[name] = content;
    else faults.push(`${name}: give either ${name} or ${name}_FILE, not both`);
  }
  return merged;
}

/** A password can be kept apart from the URL that needs it, so that one secret is one file for the server and for us. */
function putPasswordsIntoUrls(given: Record<string, string | undefined>, faults: string[]): void {
  for (const [urlName, passwordName] of [
    ['DATABASE_URL', 'DATABASE_PASSWORD'],
    ['REDIS_URL', 'REDIS_PASSWORD'],
  ] as const) {
    const { [urlName]: text, [passwordName]: password } = given;
    if (password === undefined) continue;
    // no password can stand in a URL without a host
    const [first] = text === undefined || serversProblem(text) !== undefined ? [text] : serversOf(text);
    if (text === undefined || first === undefined || !URL.canParse(first) || new URL(first).host === '') {
      faults.push(`${passwordName}: needs ${urlName}, a URL with a host and without a password`);
      continue;
    }
    if (accountOf(first)?.password !== '') {
      faults.push(`${passwordName}: ${urlName} has a password already; give one of them`);
      continue;
    }
    given[urlName] = withPassword(text, password);
  }
}

function serviceRoleFaults(env: Environment): string[] {
  const { DATABASE_SERVICE_ROLE: role, DATABASE_SERVICE_PASSWORD: password } = env;
  if (role === undefined) {
    return password === undefined
      ? []
      : ['DATABASE_SERVICE_ROLE: is required beside DATABASE_SERVICE_PASSWORD'];
  }
  if (accountOf(serversOf(env.DATABASE_URL)[0] ?? '')?.user === role) {
    return ['DATABASE_SERVICE_ROLE: must not be the user of DATABASE_URL, which owns the schema'];
  }
  if (password === undefined || !isWellKnown(password, [role])) return [];
  return [`DATABASE_SERVICE_PASSWORD: is one that everybody tries; ${MAKE_PASSWORD}`];
}

function registrationFaults(env: Environment): string[] {
  if (env.CLIENT_REGISTRATION_PROJECT !== undefined) return [];
  const beside = [
    ...(env.CLIENT_REGISTRATION === 'open' ? ['CLIENT_REGISTRATION=open'] : []),
    ...(env.CLIENT_ID_METADATA_DOCUMENTS === 'on' ? ['CLIENT_ID_METADATA_DOCUMENTS=on'] : []),
  ];
  return beside.map((setting) => `CLIENT_REGISTRATION_PROJECT: is required beside ${setting}`);
}

function mutualTlsFaults(env: Environment): string[] {
  if (env.MTLS_CERTIFICATE_HEADER === undefined) {
    return (['MTLS_BASE_URL', 'MTLS_CA_CERTIFICATES'] as const)
      .filter((name) => env[name] !== undefined)
      .map((name) => `MTLS_CERTIFICATE_HEADER: is required beside ${name}`);
  }
  // from anybody else the header does not count
  return env.TRUSTED_PROXIES.length > 0
    ? []
    : ['TRUSTED_PROXIES: is required beside MTLS_CERTIFICATE_HEADER'];
}

function group(env: Environment) {
  const redis = redisServersOf(env);
  const issuer = env.PUBLIC_URL;
  return {
    production: env.NODE_ENV === 'production',
    logLevel: env.LOG_LEVEL,
    issuer: { url: issuer, secure: issuer.startsWith('https://') },
    http: { host: env.HOST, port: env.PORT, trustedProxies: env.TRUSTED_PROXIES },
    ops: { host: env.OPS_HOST, port: env.OPS_PORT },
    postgres: {
      url: env.DATABASE_URL,
      /** Past a pooler, for what needs a session of its own. */
      directUrl:
        env.DATABASE_DIRECT_URL === undefined
          ? env.DATABASE_URL
          : withAccountOf(env.DATABASE_URL, env.DATABASE_DIRECT_URL),
      /** Set for `migrate` alone, which lets it use what it made. */
      serviceRole:
        env.DATABASE_SERVICE_ROLE === undefined
          ? undefined
          : { name: env.DATABASE_SERVICE_ROLE, password: env.DATABASE_SERVICE_PASSWORD },
      poolSize: env.DATABASE_POOL_SIZE,
      pipelineConnections: env.DATABASE_PIPELINE_CONNECTIONS,
      /** For reads that may lag; undefined where all go to the primary. */
      replica:
        env.DATABASE_READ_URL === undefined
          ? undefined
          : {
              url: withAccountOf(env.DATABASE_URL, env.DATABASE_READ_URL),
              mostLagMs: env.DATABASE_READ_LAG,
            },
    },
    redis,
    queues: {
      backend: env.QUEUE_BACKEND,
      /** A script of BullMQ's uses many keys of a queue: on a cluster the braces put all of them on one node. */
      prefix: redis.cluster === undefined ? env.QUEUE_PREFIX : `{${env.QUEUE_PREFIX}}`,
      /** Of keys that are used one by one, which a cluster spreads over its nodes. */
      keyPrefix: env.QUEUE_PREFIX,
      worked: env.WORKER_QUEUES,
      heartbeatIntervalMs: env.HEARTBEAT_INTERVAL,
      dashboardWrites: env.QUEUE_DASHBOARD_WRITES === 'true',
    },
    imports: {
      priority: env.IMPORT_PRIORITY,
      retentionMs: env.IMPORT_RETENTION,
      mostBytes: env.IMPORT_MAX_BYTES,
      space: {
        organizationBytes: env.IMPORT_ORGANIZATION_BYTES,
        instanceBytes: env.IMPORT_INSTANCE_BYTES,
        organizationJobs: env.IMPORT_ORGANIZATION_JOBS,
      },
    },
    /** How long what is over is kept on; undefined keeps it. */
    retention: {
      sessionMs: env.SESSION_RETENTION,
      notificationMs: env.NOTIFICATION_RETENTION,
      eventMs: env.EVENT_RETENTION,
    },
    masterKeys: { current: env.MASTER_KEY, previous: env.MASTER_KEY_PREVIOUS },
    keys: { algorithm: env.SIGNING_ALG },
    clientRegistration: {
      mode: env.CLIENT_REGISTRATION,
      documents: env.CLIENT_ID_METADATA_DOCUMENTS === 'on',
      openProject: env.CLIENT_REGISTRATION_PROJECT,
      unusedMs: env.CLIENT_REGISTRATION_UNUSED,
      statementIssuers: env.SOFTWARE_STATEMENT_ISSUERS ?? [],
    },
    resourceIndicatorsServed: env.RESOURCE_INDICATORS === 'on',
    requestObjectsServed: env.REQUEST_OBJECTS === 'signed',
    hybridFlowServed: env.HYBRID_FLOW === 'on',
    pairwiseSubjectsServed: env.PAIRWISE_SUBJECTS === 'on',
    jwtResponseModesServed: env.JWT_RESPONSE_MODES === 'on',
    frontChannelLogoutServed: env.FRONT_CHANNEL_LOGOUT === 'on',
    sessionManagementServed: env.SESSION_MANAGEMENT === 'on',
    /** Undefined where no proxy hands certificates of clients on. */
    mutualTls:
      env.MTLS_CERTIFICATE_HEADER === undefined
        ? undefined
        : {
            header: env.MTLS_CERTIFICATE_HEADER,
            format: env.MTLS_CERTIFICATE_FORMAT,
            /** Where clients with certificates ask, if not at the issuer. */
            baseUrl: env.MTLS_BASE_URL,
            authorities: env.MTLS_CA_CERTIFICATES ?? [],
          },
    dpopNonceRequired: env.DPOP_NONCE === 'required',
    lifetimes: {
      accessTokenMs: env.ACCESS_TOKEN_LIFETIME,
      idTokenMs: env.ID_TOKEN_LIFETIME,
      refreshIdleMs: env.REFRESH_TOKEN_IDLE,
      refreshAbsoluteMs: env.REFRESH_TOKEN_ABSOLUTE,
      refreshGraceMs: env.REFRESH_TOKEN_GRACE,
      codeMs: env.CODE_LIFETIME,
      sessionIdleMs: env.SESSION_IDLE,
      sessionAbsoluteMs: env.SESSION_ABSOLUTE,
    },
    passwords: {
      memoryKib: env.PASSWORD_MEMORY_KIB,
      iterations: env.PASSWORD_ITERATIONS,
      parallelism: env.PASSWORD_PARALLELISM,
      slots: env.PASSWORD_SLOTS,
      schemesOff: env.PASSWORD_SCHEMES_OFF,
      breachUrl: env.PASSWORD_BREACH_URL,
      responsePaddingMs: env.SIGN_IN_RESPONSE_PADDING,
    },
    /** Requests per minute and address before 429; 0 switches a limit off. Token and sign-in count failures only. */
    limits: {
      tokenFailuresPerMinute: env.RATE_LIMIT_TOKEN,
      signInFailuresPerMinute: env.RATE_LIMIT_SIGN_IN,
      newFlowsPerMinute: env.RATE_LIMIT_FLOW,
      mailRequestsPerMinute: env.RATE_LIMIT_MAIL,
      /** Of the whole instance: more raise the alarm. */
      refusedSignInsPerMinute: env.SIGN_IN_ALARM,
      registrationsPerMinute: env.RATE_LIMIT_REGISTRATION,
      /** From all addresses together, of clients that anyone registers. */
      openRegistrationsPerMinute: env.RATE_LIMIT_REGISTRATION_ALL,
      openRegistrationsPerDay: env.RATE_LIMIT_REGISTRATION_DAY,
      keysPerMinute: env.RATE_LIMIT_KEYS,
      /** Per caller, whatever the address. */
      apiCallsPerMinute: env.RATE_LIMIT_API,
    },
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    sms: {
      accountSid: env.TWILIO_ACCOUNT_SID,
      authToken: env.TWILIO_AUTH_TOKEN,
      from: env.TWILIO_FROM,
      messagingServiceSid: env.TWILIO_MESSAGING_SERVICE_SID,
      verifyServiceSid: env.TWILIO_VERIFY_SERVICE_SID,
      baseUrl: env.TWILIO_BASE_URL,
    },
    /** What stops somebody from having messages sent at our cost. */
    smsLimits: {
      countries: env.SMS_COUNTRIES,
      numberTypes: env.SMS_NUMBER_TYPES,
      cooldownSeconds: env.SMS_COOLDOWN / 1000,
      caps: {
        user: env.SMS_CAP_USER,
        number: env.SMS_CAP_NUMBER,
        prefix: env.SMS_CAP_PREFIX,
        address: env.SMS_CAP_ADDRESS,
        organization: env.SMS_CAP_ORGANIZATION,
      },
      /** In millionths, as the costs; 0 is no cap. */
      spendPerDay: env.SMS_SPEND_CAP,
      costs: env.SMS_COSTS,
      prefixTail: env.SMS_PREFIX_TAIL,
      conversion: {
        sends: env.SMS_CONVERSION_SENDS,
        percent: env.SMS_CONVERSION_PERCENT,
        windowSeconds: env.SMS_CONVERSION_WINDOW / 1000,
        graceSeconds: env.SMS_CONVERSION_GRACE / 1000,
      },
      blockSeconds: env.SMS_BLOCK / 1000,
    },
    /** Calls to URIs that others registered. On a developer's machine the applications are on loopback as well. */
    outbound: {
      privateAddresses: env.OUTBOUND_PRIVATE_ADDRESSES ?? (isLoopback(issuer) ? 'allow' : 'refuse'),
    },
    /** Undefined where no spans are sent. */
    tracing:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            serviceName: env.OTEL_SERVICE_NAME,
            resource: env.OTEL_RESOURCE_ATTRIBUTES ?? {},
            sampledShare: env.OTEL_TRACES_SAMPLER_ARG,
          },
    bootstrap: {
      orgName: env.BOOTSTRAP_ORG_NAME,
      primaryDomain: (env.BOOTSTRAP_PRIMARY_DOMAIN ?? new URL(issuer).hostname).toLowerCase(),
      adminUserName: env.BOOTSTRAP_ADMIN_USER_NAME,
      adminEmail: env.BOOTSTRAP_ADMIN_EMAIL,
      adminPassword: env.BOOTSTRAP_ADMIN_PASSWORD,
      adminLinkFile: env.BOOTSTRAP_ADMIN_LINK_FILE,
      serviceUserTokenFile: env.BOOTSTRAP_SERVICE_USER_TOKEN_FILE,
    },
  };
}

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
export type AppConfig = DeepReadonly<ReturnType<typeof group>>;

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** Settings that have another name now. The old one stops the start: its value would be passed over in silence. */
const RENAMED: Readonly<Record<string, string>> = {
  DATABASE_QUICK_LANES: 'DATABASE_PIPELINE_CONNECTIONS',
  SIGN_IN_TIME_GRID: 'SIGN_IN_RESPONSE_PADDING',
};

function renamedFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(RENAMED).flatMap(([old, now]) =>
    (given[old] ?? '') === '' ? [] : [`${old}: is called ${now} now`],
  );
}

/**
 * Variables → configuration.
 * @throws ConfigError with every fault found, none of which repeats a value
 */
export function readConfig(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): AppConfig {
  const faults = renamedFaults(given);
  const merged = withSecretFiles(given, readFile, faults);
  putPasswordsIntoUrls(merged, faults);
  const parsed = environment.safeParse(merged);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}`);
  } else {
    const production = parsed.data.NODE_ENV === 'production';
    const reachable = parsed.data.NODE_ENV !== 'test' && !isLoopback(parsed.data.PUBLIC_URL);
    faults.push(
      ...twilioFaults(parsed.data),
      ...serviceRoleFaults(parsed.data),
      ...registrationFaults(parsed.data),
      ...mutualTlsFaults(parsed.data),
      ...redisContradictions(parsed.data, merged),
    );
    if (production || reachable) faults.push(...masterKeyFaults(parsed.data, merged));
    if (production) faults.push(...productionFaults(parsed.data, merged));
  }
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return deepFreeze(group(parsed.data));
}

/** The class by which Nest hands the configuration around. */
export abstract class Config {
  abstract readonly app: AppConfig;
}

/** Reads the process's own environment; prints every fault and ends the process when there is one. */
export function loadConfig(): AppConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(78); // EX_CONFIG of sysexits(3)
  }
}
