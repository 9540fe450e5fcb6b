import { ChannelError, type FailureScope } from '../../domain/notifications/channels.js';
import { shortened, type HttpAnswer } from '../http-exchange.js';

/** A person has to look after the account first; asking again soon changes nothing. */
const ACCOUNT_RETRY_AFTER_MS = 5 * 60_000;
/** Where a 429 does not say how long. */
const SLOWER_RETRY_AFTER_MS = 30_000;

type Row = readonly [failure: 'retryable' | 'terminal', scope: FailureScope];
const RECIPIENT: Row = ['terminal', 'message'];
const ACCOUNT: Row = ['retryable', 'provider'];
const PREFIX: Row = ['terminal', 'prefix'];
const LATER: Row = ['retryable', 'message'];
/** The account sends faster than it may: that holds for the next message as well. */
const SLOWER: Row = ['retryable', 'provider'];

/** https://www.twilio.com/docs/api/errors: those that say something else than their HTTP status does. */
const CODES: ReadonlyMap<number, Row> = new Map([
  // this number, or this conversation with it, is at its end
  [21211, RECIPIENT], // not a number
  [21214, RECIPIENT], // cannot be reached
  [21217, RECIPIENT], // does not look like a number
  [21408, RECIPIENT], // a country that the account may not send to
  [21610, RECIPIENT], // unsubscribed
  [21612, RECIPIENT], // no way from this sender to it
  [21614, RECIPIENT], // a land line
  [21617, RECIPIENT], // text too long
  [60200, RECIPIENT], // a parameter is wrong, mostly the number
  [60202, RECIPIENT], // the code was checked too often
  [60203, RECIPIENT], // sent too often: never retried
  [60205, RECIPIENT], // a land line
  // fraud guard and country blocks stand for every number like it
  [30450, PREFIX],
  [60410, PREFIX],
  [60605, PREFIX],
  // credentials, sender, funds, an account that was suspended
  [20003, ACCOUNT],
  [20005, ACCOUNT],
  [20008, ACCOUNT],
  [20403, ACCOUNT],
  [20404, ACCOUNT],
  [21212, ACCOUNT],
  [21603, ACCOUNT],
  [21606, ACCOUNT],
  [21659, ACCOUNT],
  [21660, ACCOUNT],
  [21701, ACCOUNT],
  [21703, ACCOUNT],
  [21705, ACCOUNT],
  [63038, ACCOUNT], // the day's messages are used up
  [20429, SLOWER],
]);

/** Twilio's answer to a request that it refused → what to do about it. */
export function twilioFailure(answer: HttpAnswer): ChannelError {
  const { status, retryAfterMs } = answer;
  const { code, message } = errorBody(answer.body);
  const row = (code === undefined ? undefined : CODES.get(code)) ?? byStatus(status);
  const [failure, scope] = row;
  const reason = code === undefined ? `twilio_http_${status}` : `twilio_${code}`;
  const said = message === undefined ? undefined : shortened(message);
  const wait = failure === 'terminal' ? undefined : (retryAfterMs ?? defaultWait(row));
  return new ChannelError(reason, failure, wait, scope, said);
}

function byStatus(status: number): Row {
  if ([401, 402, 403, 404, 405].includes(status)) return ACCOUNT;
  if (status === 429) return SLOWER;
  if (status === 408 || status >= 500) return LATER;
  // redirects are not followed: no Twilio answers with one
  return status >= 400 ? RECIPIENT : ACCOUNT;
}

function defaultWait(row: Row): number | undefined {
  if (row === SLOWER) return SLOWER_RETRY_AFTER_MS;
  return row === ACCOUNT ? ACCOUNT_RETRY_AFTER_MS : undefined;
}

function errorBody(body: string): { code?: number; message?: string } {
  try {
    const { code, message } = JSON.parse(body) as { code?: unknown; message?: unknown };
    return {
      ...(typeof code === 'number' ? { code } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
  } catch {
    return {};
  }
}
