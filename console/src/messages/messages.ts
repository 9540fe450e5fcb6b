import de from '../../../locales/console/de/messages.json';
import en from '../../../locales/console/en/messages.json';
import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';
import { timesOf, type TimeSpan } from '../shared/time-filters.tsx';

const t = words({ en, de });

export type Message = Answered<'/management/v1/notifications/{id}', 'get'>;
export type MessagePage = Answered<'/management/v1/notifications/_search', 'post'>;
type Search = Sent<'/management/v1/notifications/_search', 'post'>;

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

export async function findMessages(
  orgId: string,
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
  return await answered(
    api.POST('/management/v1/notifications/_search', { params: inOrganization(orgId), body }),
  );
}

export async function readMessage(orgId: string, id: string): Promise<Message> {
  const params = { ...inOrganization(orgId), path: { id } };
  return await answered(api.GET('/management/v1/notifications/{id}', { params }));
}

/** As many as one call takes. */
export const MOST_REPLAYED = 1000;

/** Sends dead letters again that fit the filters. */
export async function replayMessages(orgId: string, filters: MessageFilters) {
  const conditions = conditionsOf(filters);
  const all = Object.keys(conditions).length === 0;
  const body = { limit: MOST_REPLAYED, all, ...conditions };
  return await answered(
    api.POST('/management/v1/notifications/_replay', { params: inOrganization(orgId), body }),
  );
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
