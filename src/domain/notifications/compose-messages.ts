import { Injectable } from '@nestjs/common';
import type { Language } from '../shared/locale.js';
import type { MailMessage } from './channels.js';
import { composeMail, languageOf, messageIdOf, type Composing } from './compose-mail.js';
import { composeSms } from './compose-sms.js';
import { readAccount } from './deleted-account.js';
import { MessageRenderer } from './mail.js';
import { NotificationSettings } from './notification-settings.js';
import type { ClaimedNotification } from './notifications.store.js';
import { ownTextsIn } from './templates/message-texts.js';
import { readTest } from './templates/template-test.js';

/** Messages in the words of the organization and the instance, as they are at the moment of sending. */
@Injectable()
export class ComposeMessages {
  constructor(
    private readonly settings: NotificationSettings,
    private readonly renderer: MessageRenderer,
  ) {}

  /** @param content as `composeMail` takes it */
  mail(claim: ClaimedNotification, content: string | undefined): MailMessage {
    if (claim.template === 'template_test') {
      const { address: to, ...mail } = readTest(content);
      return { messageId: messageIdOf(claim.id, this.settings.issuer), to, ...mail };
    }
    if (claim.template !== 'account_deleted') return composeMail(claim, content, this.with(claim));
    const { address: email, displayName, preferredLanguage } = readAccount(content);
    const told = { ...claim, email, displayName, preferredLanguage: preferredLanguage ?? null };
    return composeMail(told, undefined, this.with(told));
  }

  /** @param code undefined where the provider makes it and writes the text itself */
  sms(claim: ClaimedNotification, code: string | undefined): { text: string; language: Language } {
    const language = languageOf(claim);
    if (code === undefined) return { text: '', language };
    return { text: composeSms(claim, code, this.with(claim)), language };
  }

  private with(claim: ClaimedNotification): Composing {
    const texts = ownTextsIn(languageOf(claim), claim.ownTexts);
    return { issuer: this.settings.issuer, renderer: this.renderer, texts };
  }
}
