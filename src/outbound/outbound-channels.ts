import { Injectable } from '@nestjs/common';
import {
  type Accepted,
  ChannelError,
  MailChannel,
  type MailMessage,
  type SmsMessage,
} from '../domain/notifications/channels.js';
import type { Provider } from '../domain/notifications/providers/provider.js';
import { type CodeCheck, ProviderChannels } from '../domain/notifications/providers/provider-channels.js';

/** Each call goes to the channel of its provider's kind. */
@Injectable()
export class OutboundChannels extends ProviderChannels {
  constructor(private readonly mail: MailChannel) {
    super();
  }

  override async sendMail(provider: Provider, message: MailMessage): Promise<Accepted> {
    if (provider.kind !== 'smtp') throw new ChannelError('not_supported', 'terminal');
    await this.mail.send(message);
    return {};
  }

  override sendSms(_provider: Provider, _message: SmsMessage): Promise<Accepted> {
    return Promise.reject(new ChannelError('not_supported', 'terminal'));
  }

  override checkCode(): Promise<CodeCheck> {
    return Promise.reject(new ChannelError('not_supported', 'terminal'));
  }

  override isSigned(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
