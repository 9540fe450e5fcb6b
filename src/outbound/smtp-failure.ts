import { ChannelError } from '../domain/notifications/channels.js';

/** What nodemailer tells of a failed send, as far as it matters here. */
interface SmtpError {
  readonly code?: unknown;
  readonly responseCode?: unknown;
}

/** Authentication problems are ours, not the message's, and a server locks accounts that keep on trying. */
const AUTH_RETRY_AFTER_MS = 5 * 60_000;
const AUTH_CODES = new Set([454, 530, 534, 535, 538]);
/** The dialogue went wrong, which another connection may cure; every other 5yz is about this message (RFC 5321 §4.2.1). */
const DIALOGUE_CODES = new Set([500, 501, 502, 503, 504]);

const REASONS: Readonly<Record<string, string>> = {
  ECONNECTION: 'smtp_connection',
  ESOCKET: 'smtp_connection',
  EDNS: 'smtp_dns',
  ETLS: 'smtp_tls',
  ETIMEDOUT: 'smtp_timeout',
  EABORT: 'smtp_timeout',
};

/**
 * Nodemailer's error → what to do about it. Only codes are taken over: its messages quote addresses and what the
 * server said about them.
 *
 * @param handedOver whether the whole message had been written to the server
 */
export function failureOf(error: unknown, handedOver: boolean): ChannelError {
  const { code, responseCode } = (error ?? {}) as SmtpError;
  if (typeof responseCode === 'number') return refusal(responseCode);
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return new ChannelError('smtp_auth', 'retryable', AUTH_RETRY_AFTER_MS);
  // nothing the server said, so it is the address itself that nodemailer does not accept
  if (code === 'EENVELOPE') return new ChannelError('smtp_bad_address', 'terminal');
  if (handedOver) return new ChannelError('smtp_ambiguous', 'ambiguous');
  return new ChannelError(REASONS[String(code)] ?? 'smtp_failed', 'retryable');
}

function refusal(responseCode: number): ChannelError {
  const reason = `smtp_${responseCode}`;
  if (AUTH_CODES.has(responseCode)) return new ChannelError(reason, 'retryable', AUTH_RETRY_AFTER_MS);
  const final = responseCode >= 500 && responseCode < 600 && !DIALOGUE_CODES.has(responseCode);
  return new ChannelError(reason, final ? 'terminal' : 'retryable');
}
