import { Injectable } from '@nestjs/common';
import type { Accepted } from './channels.js';
import { ComposeMessages } from './compose-messages.js';
import { NotificationSettings } from './notification-settings.js';
import type { ClaimedNotification } from './notifications.store.js';
import { ProviderChannels } from './providers/provider-channels.js';
import type { Provider } from './providers/provider.js';
import { reportUrl } from './status-report-path.js';

type Send = (provider: Provider) => Promise<Accepted>;

/** Puts a claimed message into the words and the form that any of its providers sends it in. */
@Injectable()
export class SendByProvider {
  constructor(
    private readonly messages: ComposeMessages,
    private readonly channels: ProviderChannels,
    private readonly settings: NotificationSettings,
  ) {}

  prepare(claim: ClaimedNotification): Send {
    if (claim.channel === 'email') {
      const mail = this.messages.mail(claim, claim.code);
      return (provider) => this.channels.sendMail(provider, mail);
    }
    if (claim.phone === null) throw new Error('an SMS for somebody without a number');
    const sms = {
      notificationId: claim.id,
      to: claim.phone,
      ...this.messages.sms(claim, claim.code),
      code: claim.code,
      statusCallbackUrl: reportUrl(this.settings.issuer, claim.id),
    };
    return (provider) => this.channels.sendSms(provider, sms);
  }
}
