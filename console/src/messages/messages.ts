import de from '../../../locales/console/de/messages.json';
import en from '../../../locales/console/en/messages.json';
import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';
import { timesOf, type TimeSpan } from '../shared/time-filters.tsx';

const t = words({ en, de });

type OfInstance = Answered<'/admin/v1/notifications/{id}', 'get'>;
/** The ledger of the instance also says whose user it is for, and where the provider is that it failed with. */
export type Message = Answered<'/management/v1/notifications/{id}', 'get'> &
  Partial<Pick<OfInstance, 'organizationName' | 'host' | 'port'>>;
export interface MessagePage extends Omit<
  Answered<'/management/v1/notifications/_search', 'post'>,
  'result'
> {
  readonly result?: readonly Message[];
}
type Search = Sent<'/management/v1/notifications/_search', 'post'>;

/** Whose ledger: that of an organization, or of the instance with all of them. */
export type Scope = { readonly org: string } | 'instance';

export const MESSAGE_STATES: Readonly<
  Record<Message['state'], { readonly label: string; readonly tone: Tone }>
> = {
  queued: { label: t.states.queued, tone: 'quiet' },
  sending: { label: t.states.sending, tone: 'quiet' },
  retrying: { label: t.states.retrying, tone: 'warning' },
  sent: { label: t.states.sent, tone: 'good' },
  delivered: { label: t.states.delivered, tone: 'good' },
  failed: { label: t.states.failed, tone: 'bad' },
  abandoned: { label: t.states.abandoned, tone: 'bad' },
};

export const TEMPLATES: Readonly<Record<Message['template'], string>> = t.templates;
export const CHANNELS: Readonly<Record<Message['channel'], string>> = t.channels;

/** Of the filter, beside each state by itself: what did not arrive. */
export const TROUBLE = 'trouble';
const IN_TROUBLE: readonly Message['state'][] = ['retrying', 'failed', 'abandoned'];

/** The filters of the list, as its address has them. */
export interface MessageFilters extends TimeSpan {
  readonly state?: string | undefined;
  readonly channel?: string | undefined;
  readonly template?: string | undefined;
  readonly user?: string | undefined;
  /** The whole address or number. */
  readonly recipient?: string | undefined;
  readonly dead?: string | undefined;
  /** Of the instance's ledger: those of one organization, or that one provider had. */
  readonly organization?: string | undefined;
  readonly provider?: string | undefined;
}

export const NO_FILTERS = {
  state: undefined,
  channel: undefined,
  template: undefined,
  user: undefined,
  recipient: undefined,
  from: undefined,
  to: undefined,
  dead: undefined,
  organization: undefined,
  provider: undefined,
} satisfies Record<keyof MessageFilters, undefined>;

/** Those of an address that the ledger has: an address and a user are searched for in their organization. */
export function filtersOf(
  scope: Scope,
  { state, channel, template, user, recipient, from, to, dead, organization, provider }: MessageFilters,
): MessageFilters {
  const both = { state, channel, template, from, to, dead };
  return scope === 'instance' ? { ...both, organization, provider } : { ...both, user, recipient };
}

function isOneOf<Key extends string>(
  of: Readonly<Record<Key, unknown>>,
  value: string | undefined,
): value is Key {
  return value !== undefined && Object.hasOwn(of, value);
}

/** Conditions that calls for one and for many take alike. */
function conditionsOf({ channel, template, user, recipient = '', from, to }: MessageFilters) {
  return {
    ...(isOneOf(CHANNELS, channel) && { channel }),
    ...(isOneOf(TEMPLATES, template) && { template }),
    ...(user !== undefined && { userId: user }),
    ...(recipient !== '' && { recipient }),
    ...timesOf({ from, to }),
  };
}

interface MessagePart {
  readonly limit: number;
  readonly asc?: boolean;
  readonly cursor?: string | undefined;
}

function ofInstance({ organization, provider }: MessageFilters) {
  return {
    ...(organization !== undefined && { organizationId: organization }),
    ...(provider !== undefined && { providerId: provider }),
  };
}

export async function findMessages(
  scope: Scope,
  filters: MessageFilters,
  { limit, asc = false, cursor }: MessagePart,
): Promise<MessagePage> {
  const { state } = filters;
  const states = state === TROUBLE ? IN_TROUBLE : isOneOf(MESSAGE_STATES, state) ? [state] : undefined;
  const body: Search = {
    query: { limit, asc, ...(cursor !== undefined && { cursor }) },
    ...conditionsOf(filters),
    ...(states !== undefined && { states: [...states] }),
    ...(filters.dead === 'true' && { deadLetter: true }),
  };
  if (scope === 'instance')
    return await answered(
      api.POST('/admin/v1/notifications/_search', { body: { ...body, ...ofInstance(filters) } }),
    );
  return await answered(
    api.POST('/management/v1/notifications/_search', { params: inOrganization(scope.org), body }),
  );
}

export async function readMessage(scope: Scope, id: string): Promise<Message> {
  const path = { id };
  if (scope === 'instance')
    return await answered(api.GET('/admin/v1/notifications/{id}', { params: { path } }));
  const params = { ...inOrganization(scope.org), path };
  return await answered(api.GET('/management/v1/notifications/{id}', { params }));
}

/** Sends a dead letter again. */
export async function replayMessage(scope: Scope, id: string) {
  const path = { id };
  if (scope === 'instance')
    return await answered(api.POST('/admin/v1/notifications/{id}/_replay', { params: { path } }));
  const params = { ...inOrganization(scope.org), path };
  return await answered(api.POST('/management/v1/notifications/{id}/_replay', { params }));
}

/** As many as one call takes. */
export const MOST_REPLAYED = 1000;

/** Sends dead letters again that fit the filters. */
export async function replayMessages(scope: Scope, filters: MessageFilters) {
  const conditions = conditionsOf(filters);
  // to the service an organization is no condition, but where it looks
  const all = Object.keys(conditions).length === 0;
  const body = { limit: MOST_REPLAYED, all, ...conditions };
  if (scope === 'instance')
    return await answered(
      api.POST('/admin/v1/notifications/_replay', { body: { ...body, ...ofInstance(filters) } }),
    );
  return await answered(
    api.POST('/management/v1/notifications/_replay', { params: inOrganization(scope.org), body }),
  );
}

/** With whom an attempt failed: `mail.example.com:587`. */
export function hostOf({ host, port }: Message): string | undefined {
  return host === undefined || port === undefined ? host : `${host}:${port}`;
}

const REASONS: Readonly<Partial<Record<string, string>>> = t.reasons;
const KINDS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^smtp_(454|530|534|535|538|auth)$/, t.reasonKinds.smtpAuth],
  [/^smtp_sender_/, t.reasonKinds.smtpSender],
  [/^smtp_(connection|dns|timeout)$/, t.reasonKinds.smtpAway],
  [/^smtp_tls$/, t.reasonKinds.smtpTls],
  [/^smtp_55[0134]$/, t.reasonKinds.smtpRecipient],
  [/^smtp_552$/, t.reasonKinds.smtpFull],
  [/^smtp_4/, t.reasonKinds.smtpLater],
  [/^http_(connection|dns|timeout|tls)$/, t.reasonKinds.webhookAway],
  [/_ambiguous$/, t.reasonKinds.ambiguous],
  [/^twilio_(60410|60605|30450)$/, t.reasonKinds.smsFraud],
  [/^twilio_(21211|21408|21610|21612|21614|60200|60202|60203)$/, t.reasonKinds.smsRecipient],
  [/^twilio_(20003|http_401)$/, t.reasonKinds.twilioAuth],
];

/** Why a message did not arrive, in a sentence that says what helps. */
export function causeOf(reason: string): string {
  return (
    REASONS[reason] ??
    KINDS.find(([pattern]) => pattern.test(reason))?.[1] ??
    say(t.reasonKinds.other, { reason })
  );
}
