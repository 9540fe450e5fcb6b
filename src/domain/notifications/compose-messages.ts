import { Injectable } from '@nestjs/common';
import type { Language } from '../shared/locale.js';
import type { MailMessage } from './channels.js';
import { composeMail, languageOf } from './compose-mail.js';
import { composeSms } from './compose-sms.js';
import { NotificationSettings } from './notification-settings.js';
import type { ClaimedNotification } from './notifications.store.js';
import { MessageTemplatesStore } from './templates/message-templates.store.js';
import type { MessageTexts } from './templates/message-texts.js';

/** Messages in the words of the organization and the instance, as they are at the moment of sending. */
@Injectable()
export class ComposeMessages {
  constructor(
    private readonly templates: MessageTemplatesStore,
    private readonly settings: NotificationSettings,
  ) {}

  /** @param content as `composeMail` takes it */
  async mail(claim: ClaimedNotification, content: string | undefined): Promise<MailMessage> {
    return composeMail(claim, content, this.settings.issuer, await this.textsOf(claim));
  }

  /** @param code undefined where the provider makes it and writes the text itself */
  async sms(
    claim: ClaimedNotification,
    code: string | undefined,
  ): Promise<{ text: string; language: Language }> {
    if (code === undefined) return { text: '', language: languageOf(claim) };
    const { issuer } = this.settings;
    const text = composeSms(claim, code, { issuer, texts: await this.textsOf(claim) });
    return { text, language: languageOf(claim) };
  }

  private textsOf(claim: ClaimedNotification): Promise<MessageTexts> {
    return this.templates.findFor(claim.orgId, claim.template, languageOf(claim));
  }
}
