import type { Twilio } from 'twilio';
import { ChannelError, type Accepted, type SmsMessage } from '../../domain/notifications/channels.js';
import type { CodeCheck, ProviderCall } from '../../domain/notifications/providers/provider-channels.js';
import type {
  TwilioMessagesProvider,
  TwilioVerifyProvider,
} from '../../domain/notifications/providers/provider.js';
import { PerProvider } from '../per-provider.js';
import { TwilioRequests } from './twilio-requests.js';
import { verifyLocale } from './verify-locale.js';

type TwilioProvider = TwilioMessagesProvider | TwilioVerifyProvider;

interface TwilioChannelOptions {
  /** In place of Twilio's own hosts: only ever from the configuration. */
  readonly baseUrl: string | undefined;
  readonly secretOf: (provider: TwilioProvider) => Promise<string | undefined>;
  readonly timeoutMs: number;
  /** Of a check, for which somebody waits at a page. */
  readonly checkTimeoutMs: number;
}

interface Account {
  readonly client: Twilio;
  /** The same, with less patience. */
  readonly checks: Twilio;
  readonly authToken: string;
}

/** No verification is under way any more: expired, approved before, or tried too often. */
const VERIFICATION_ENDED = new Set(['twilio_20404', 'twilio_60202', 'twilio_http_404']);

/**
 * SMS by Twilio: Messages carries our text, Verify makes, sends and checks a code of its own.
 *
 * The library is 21 MB on disk; importing it and making the first client takes 0.23 s of CPU and 31 MB of memory (Node
 * 20, twilio 6.2). So it is imported by the first SMS or report of a process, and processes without either never pay.
 */
export class TwilioChannel {
  private readonly accounts: PerProvider<TwilioProvider, Account>;

  constructor(private readonly options: TwilioChannelOptions) {
    this.accounts = new PerProvider((provider) => this.open(provider));
  }

  /** @throws ChannelError */
  async sendMessage(provider: TwilioMessagesProvider, message: SmsMessage): Promise<Accepted> {
    const { from, messagingServiceSid } = provider.settings;
    const { client } = await this.accounts.of(provider);
    const { sid } = await ofTwilio(
      client.messages.create({
        to: message.to,
        body: message.text,
        ...(messagingServiceSid === undefined ? { from: from ?? '' } : { messagingServiceSid }),
        ...(message.statusCallbackUrl === undefined ? {} : { statusCallback: message.statusCallbackUrl }),
      }),
    );
    return { providerMessageId: sid };
  }

  /** @throws ChannelError */
  async startVerification(provider: TwilioVerifyProvider, message: SmsMessage): Promise<Accepted> {
    const { client } = await this.accounts.of(provider);
    const locale = verifyLocale(message.language);
    const { sid } = await ofTwilio(
      client.verify.v2.services(provider.settings.verifyServiceSid).verifications.create({
        to: message.to,
        channel: 'sms',
        ...(locale === undefined ? {} : { locale }),
      }),
    );
    return { providerMessageId: sid };
  }

  /** @throws ChannelError */
  async checkCode(
    provider: TwilioVerifyProvider,
    { to, code }: { readonly to: string; readonly code: string },
  ): Promise<CodeCheck> {
    const { checks } = await this.accounts.of(provider);
    const service = checks.verify.v2.services(provider.settings.verifyServiceSid);
    try {
      const { status } = await ofTwilio(service.verificationChecks.create({ to, code }));
      if (status === 'approved') return 'approved';
      return status === 'pending' ? 'wrong' : 'ended';
    } catch (error) {
      if (error instanceof ChannelError && VERIFICATION_ENDED.has(error.reason)) return 'ended';
      // what does not even have the form of a code (Verify takes four to ten characters)
      if (error instanceof ChannelError && error.reason === 'twilio_60200') return 'wrong';
      throw error;
    }
  }

  async isSigned(provider: TwilioProvider, call: ProviderCall): Promise<boolean> {
    const { validateRequest } = (await import('twilio')).default;
    const { authToken } = await this.accounts.of(provider);
    return validateRequest(authToken, call.signature, call.url, { ...call.parameters });
  }

  private async open(provider: TwilioProvider): Promise<Account> {
    const { accountSid } = provider.settings;
    const authToken = await this.options.secretOf(provider);
    if (authToken === undefined)
      throw new ChannelError('twilio_no_secret', 'retryable', undefined, 'provider');
    const { default: twilio } = await import('twilio');
    const { baseUrl, timeoutMs, checkTimeoutMs } = this.options;
    const clientOf = (patienceMs: number): Twilio =>
      twilio(accountSid, authToken, { httpClient: new TwilioRequests(baseUrl, patienceMs).asClient() });
    return { client: clientOf(timeoutMs), checks: clientOf(checkTimeoutMs), authToken };
  }
}

/** Its requests throw `ChannelError`; anything else is an answer that the library cannot read. */
async function ofTwilio<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    throw new ChannelError('twilio_unreadable', 'ambiguous');
  }
}
