import { getSystemErrorName } from 'node:util';
import { ChannelError, type ChannelFailure } from '../../domain/notifications/channels.js';
import { AddressRefused } from '../guarded-lookup.js';
import { shortened } from '../http-exchange.js';

/** The fields of nodemailer's errors that are used here. */
interface SmtpError {
  readonly code?: unknown;
  /** Of the system, negative; nodemailer puts words of its own into `code`. */
  readonly errno?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly message?: unknown;
  /** In which step of the dialogue. */
  readonly command?: unknown;
}

/** Authentication problems are ours, not the message's, and a server locks accounts that keep on trying. */
const AUTH_RETRY_AFTER_MS = 5 * 60_000;
const AUTH_CODES = new Set([454, 530, 534, 535, 538]);
/** The dialogue went wrong, which another connection may cure; every other 5yz is about this message (RFC 5321 §4.2.1). */
const DIALOGUE_CODES = new Set([500, 501, 502, 503, 504]);
/** A refusal before a recipient was named is about us: the greeting, or the sender that every message has. */
const BEFORE_RECIPIENT = new Set(['CONN', 'EHLO', 'HELO']);

const REASONS: Readonly<Record<string, string>> = {
  ECONNECTION: 'smtp_connection',
  ESOCKET: 'smtp_connection',
  EDNS: 'smtp_dns',
  ETLS: 'smtp_tls',
  ETIMEDOUT: 'smtp_timeout',
  EABORT: 'smtp_timeout',
  // of sockets that are opened here
  ECONNREFUSED: 'smtp_connection',
  ECONNRESET: 'smtp_connection',
  EHOSTUNREACH: 'smtp_connection',
  ENETUNREACH: 'smtp_connection',
  ENOTFOUND: 'smtp_dns',
  EAI_AGAIN: 'smtp_dns',
};

/**
 * Nodemailer's error → what to do about it. Only codes are taken over: its messages quote addresses and what the
 * server said about them.
 *
 * @param handedOver whether the whole message had been written to the server
 */
export function failureOf(error: unknown, handedOver: boolean): ChannelError {
  if (error instanceof AddressRefused) return providerFailure('address_refused');
  const smtpError = (error ?? {}) as SmtpError;
  const { code, responseCode } = smtpError;
  if (typeof responseCode === 'number') return refusal(responseCode, smtpError);
  if (code === 'EAUTH' || code === 'ENOAUTH') return providerFailure('smtp_auth');
  // nothing the server said, so it is the address itself that nodemailer does not accept
  if (code === 'EENVELOPE') return new ChannelError('smtp_bad_address', 'terminal');
  const system = systemCode(smtpError);
  if (handedOver) return unheard('smtp_ambiguous', 'ambiguous', system);
  if (isTlsFault(smtpError)) return unheard('smtp_tls', 'retryable', system);
  return unheard(REASONS[String(code)] ?? 'smtp_failed', 'retryable', system);
}

function unheard(reason: string, failure: ChannelFailure, system: string | undefined): ChannelError {
  return new ChannelError(reason, failure, undefined, 'message', undefined, system);
}

function systemCode({ code, errno }: SmtpError): string | undefined {
  if (typeof errno === 'number' && errno < 0) return getSystemErrorName(errno);
  return typeof code === 'string' ? code : undefined;
}

/** Nodemailer puts its own code over OpenSSL's and leaves only the words: they are looked at and not taken over. */
function isTlsFault({ code, message }: SmtpError): boolean {
  return (
    code === 'ESOCKET' &&
    typeof message === 'string' &&
    /certificate|self.signed|\b(ssl|tls)\b/i.test(message)
  );
}

function refusal(responseCode: number, error: SmtpError): ChannelError {
  const said = typeof error.response === 'string' ? shortened(error.response) : undefined;
  const reason = `smtp_${responseCode}`;
  // whatever it is, every message would meet it; 454 here says that TLS is out of order (RFC 3207 §4)
  if (error.command === 'STARTTLS') return providerFailure('smtp_tls', said);
  if (AUTH_CODES.has(responseCode)) return providerFailure(reason, said);
  const final = responseCode >= 500 && responseCode < 600 && !DIALOGUE_CODES.has(responseCode);
  if (final && BEFORE_RECIPIENT.has(String(error.command))) return providerFailure(reason, said);
  // 552 speaks of the message's size (RFC 1870 §6.1); anything else final is about the sender
  if (final && error.command === 'MAIL FROM' && responseCode !== 552) {
    return providerFailure(`smtp_sender_${responseCode}`, said);
  }
  return new ChannelError(reason, final ? 'terminal' : 'retryable', undefined, 'message', said);
}

function providerFailure(reason: string, said?: string): ChannelError {
  return new ChannelError(reason, 'retryable', AUTH_RETRY_AFTER_MS, 'provider', said);
}
