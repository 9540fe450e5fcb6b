import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import {
  ChannelError,
  type Accepted,
  type MailMessage,
  type SmsMessage,
} from '../domain/notifications/channels.js';
import {
  ProviderChannels,
  type CodeCheck,
  type ProviderCall,
} from '../domain/notifications/providers/provider-channels.js';
import { ProviderSecrets } from '../domain/notifications/providers/provider-secrets.js';
import { CONFIG_SMTP, type Provider } from '../domain/notifications/providers/provider.js';
import { Clock } from '../domain/shared/clock.js';
import { SmtpChannel } from './mail/smtp-channel.js';
import { TwilioChannel } from './sms/twilio-channel.js';
import { WebhookChannel } from './webhook-channel.js';

/** Below 30 s, so that looking a provider's secret up has its time as well. */
const TIMEOUT_MS = 28_000;
/**
 * Of the check of a code, which costs no try while the provider is away: who asks again and again holds a request for so long each
 * time, as many at once as the code has tries left, and no longer than the code is good.
 */
const CHECK_TIMEOUT_MS = 8_000;

/** Each call goes to the channel of its provider's kind. */
@Injectable()
export class OutboundChannels extends ProviderChannels implements OnApplicationShutdown {
  private readonly smtp: SmtpChannel;
  private readonly twilio: TwilioChannel;
  private readonly webhook: WebhookChannel;
  /** Where it is not Twilio's own. */
  private readonly twilioUrl: string | undefined;

  constructor(config: Config, secrets: ProviderSecrets, clock: Clock) {
    super();
    const { mail, sms, outbound } = config.app;
    const allowPrivate = outbound.privateAddresses === 'allow';
    const shared = {
      secretOf: (provider: Provider) => openSecret(secrets, provider),
      timeoutMs: TIMEOUT_MS,
    };
    this.smtp = new SmtpChannel({
      ...shared,
      configuredUrl: mail.smtpUrl,
      allowPrivate: ({ id }) => (id === CONFIG_SMTP ? undefined : allowPrivate),
    });
    this.twilioUrl = sms.baseUrl;
    this.twilio = new TwilioChannel({ ...shared, checkTimeoutMs: CHECK_TIMEOUT_MS, baseUrl: sms.baseUrl });
    this.webhook = new WebhookChannel({ ...shared, allowPrivate, nowSeconds: () => clock.nowSeconds() });
  }

  override async sendMail(provider: Provider, message: MailMessage): Promise<Accepted> {
    return await this.located(provider, this.mailBy(provider, message));
  }

  override async sendSms(provider: Provider, message: SmsMessage): Promise<Accepted> {
    return await this.located(provider, this.smsBy(provider, message));
  }

  /** A failure is reported with the server's name, never with the account. */
  private async located<T>(provider: Provider, sent: Promise<T>): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      throw error instanceof ChannelError ? error.locate(this.placeOf(provider)) : error;
    }
  }

  private placeOf(provider: Provider): { readonly host: string; readonly port: number } {
    if (provider.kind === 'smtp') return provider.settings;
    const twilio = provider.kind === 'twilio_verify' ? 'https://verify.twilio.com' : 'https://api.twilio.com';
    const url = new URL(provider.kind === 'http' ? provider.settings.url : (this.twilioUrl ?? twilio));
    const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
    return { host: url.hostname, port };
  }

  private async mailBy(provider: Provider, message: MailMessage): Promise<Accepted> {
    switch (provider.kind) {
      case 'smtp':
        return await this.smtp.send(provider, message);
      case 'http':
        return await this.webhook.sendMail(provider, message);
      case 'twilio_messages':
      case 'twilio_verify':
        throw wrongKind(provider);
    }
  }

  private async smsBy(provider: Provider, message: SmsMessage): Promise<Accepted> {
    switch (provider.kind) {
      case 'twilio_messages':
        return await this.twilio.sendMessage(provider, message);
      case 'twilio_verify':
        return await this.twilio.startVerification(provider, message);
      case 'http':
        return await this.webhook.sendSms(provider, message);
      case 'smtp':
        throw wrongKind(provider);
    }
  }

  override async checkCode(
    provider: Provider,
    check: { readonly to: string; readonly code: string },
  ): Promise<CodeCheck> {
    if (provider.kind !== 'twilio_verify') throw wrongKind(provider);
    return await this.twilio.checkCode(provider, check);
  }

  override async isSigned(provider: Provider, call: ProviderCall): Promise<boolean> {
    if (provider.kind !== 'twilio_messages' && provider.kind !== 'twilio_verify') return false;
    return await this.twilio.isSigned(provider, call);
  }

  onApplicationShutdown(): void {
    this.smtp.close();
  }
}

async function openSecret(secrets: ProviderSecrets, provider: Provider): Promise<string | undefined> {
  try {
    return await secrets.open(provider.id);
  } catch {
    // the database is away, or the value does not open: either way nothing was sent
    throw new ChannelError('secret_unreadable', 'retryable', undefined, 'provider');
  }
}

function wrongKind({ kind }: Provider): ChannelError {
  return new ChannelError(`not_for_${kind}`, 'terminal');
}
