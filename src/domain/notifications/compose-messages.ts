import { Injectable } from '@nestjs/common';
import type { Language } from '../shared/locale.js';
import type { MailMessage } from './channels.js';
import { composeMail, languageOf } from './compose-mail.js';
import { composeSms } from './compose-sms.js';
import { NotificationSettings } from './notification-settings.js';
import type { ClaimedNotification } from './notifications.store.js';
import { type MessageTexts, ownTextsIn } from './templates/message-texts.js';

/** Messages in the words of the organization and the instance, as they are at the moment of sending. */
@Injectable()
export class ComposeMessages {
  constructor(private readonly settings: NotificationSettings) {}

  /** @param content as `composeMail` takes it */
  mail(claim: ClaimedNotification, content: string | undefined): MailMessage {
    return composeMail(claim, content, this.settings.issuer, textsOf(claim));
  }

  /** @param code undefined where the provider makes it and writes the text itself */
  sms(claim: ClaimedNotification, code: string | undefined): { text: string; language: Language } {
    const language = languageOf(claim);
    if (code === undefined) return { text: '', language };
    const text = composeSms(claim, code, { issuer: this.settings.issuer, texts: textsOf(claim) });
    return { text, language };
  }
}

function textsOf(claim: ClaimedNotification): MessageTexts {
  return ownTextsIn(languageOf(claim), claim.ownTexts);
}
