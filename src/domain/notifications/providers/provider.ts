import type { ProviderId } from '../../shared/ids.js';
import type { NotificationChannel } from '../notifications.store.js';

/**
 * Who carries messages out: SMTP servers, Twilio, a webhook of the operator's own. Instance-wide. What the API
 * stored is used first, by priority, and after it what the configuration names (`SMTP_URL`, `TWILIO_…`).
 *
 * Secrets are no part of this record: they are sealed in a column of their own, and only what talks to the provider
 * opens them.
 */
export type Provider = SmtpProvider | TwilioMessagesProvider | TwilioVerifyProvider | HttpProvider;
export type ProviderKind = Provider['kind'];

/** Of the providers that the configuration names. */
export const CONFIG_SMTP = 'config-smtp' as ProviderId;
export const CONFIG_TWILIO = 'config-twilio' as ProviderId;

interface AnyProvider {
  readonly id: ProviderId;
  readonly name: string;
  /** Lower goes first. */
  readonly priority: number;
  /** Null for no limit. */
  readonly ratePerSecond: number | null;
  /** How many messages may be on their way to it at once, from each worker. */
  readonly connections: number;
  /** Grows with each change, so that what was opened for the former settings can be closed. */
  readonly version: string;
}

export interface SmtpProvider extends AnyProvider {
  readonly kind: 'smtp';
  readonly channel: 'email';
  readonly settings: SmtpSettings;
}

/** We make the code and write the text. */
export interface TwilioMessagesProvider extends AnyProvider {
  readonly kind: 'twilio_messages';
  readonly channel: 'sms';
  readonly settings: TwilioMessagesSettings;
}

/** Twilio makes the code, writes the text and checks what is typed. */
export interface TwilioVerifyProvider extends AnyProvider {
  readonly kind: 'twilio_verify';
  readonly channel: 'sms';
  readonly settings: TwilioVerifySettings;
}

/** A webhook that gets the finished message, signed. */
export interface HttpProvider extends AnyProvider {
  readonly kind: 'http';
  readonly channel: NotificationChannel;
  readonly settings: HttpProviderSettings;
}

/**
 * - `implicit`: TLS from the first byte (RFC 8314)
 * - `starttls`: must be offered, else nothing is sent
 * - `opportunistic`: STARTTLS where it is offered
 * - `none`: in the clear
 */
export type SmtpTls = 'implicit' | 'starttls' | 'opportunistic' | 'none';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: SmtpTls;
  /** Absent for a server that asks for no account; the password is a secret. */
  readonly user?: string | undefined;
  readonly from: string;
  readonly replyTo?: string | undefined;
}

interface TwilioMessagesSettings {
  readonly accountSid: string;
  /** One of these two: a number (or name) of the account, or a messaging service, which picks one. */
  readonly from?: string | undefined;
  readonly messagingServiceSid?: string | undefined;
}

interface TwilioVerifySettings {
  readonly accountSid: string;
  readonly verifyServiceSid: string;
}

interface HttpProviderSettings {
  readonly url: string;
}

/**
 * Whether the provider can carry a message whose code was made here, or one whose code it is to make itself. A
 * message of the second kind stays with the provider that made its code.
 */
export function carries(provider: Provider, codeMadeBy: 'us' | 'provider'): boolean {
  return (provider.kind === 'twilio_verify') === (codeMadeBy === 'provider');
}
