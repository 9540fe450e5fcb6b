import type { Accepted, MailMessage, SmsMessage } from '../channels.js';
import type { Provider } from './provider.js';

/**
 * - `approved`: it is the code, and it is used up now
 * - `wrong`: it is not, and another try is allowed
 * - `ended`: there is no code to compare with any more: expired, used, or tried too often
 */
export type CodeCheck = 'approved' | 'wrong' | 'ended';

/** A call that claims to come from a provider, as far as its signature covers it. */
export interface ProviderCall {
  /** The URL as the provider got it, with its query. */
  readonly url: string;
  readonly signature: string;
  /** Of a form body. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The outside doors behind every provider. Every call ends within 30 s and throws `ChannelError` only. */
export abstract class ProviderChannels {
  /** @throws ChannelError */
  abstract sendMail(provider: Provider, message: MailMessage): Promise<Accepted>;

  /** @throws ChannelError */
  abstract sendSms(provider: Provider, message: SmsMessage): Promise<Accepted>;

  /** Asks a provider that made a code whether this is it. @throws ChannelError */
  abstract checkCode(
    provider: Provider,
    check: { readonly to: string; readonly code: string },
  ): Promise<CodeCheck>;

  /** Whether a status call-back really comes from this provider. */
  abstract isSigned(provider: Provider, call: ProviderCall): Promise<boolean>;
}
