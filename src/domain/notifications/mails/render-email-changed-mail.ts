import type { MailContent } from './mail.js';
import { type NoticeMail, renderNoticeMail } from './notice-mail.js';

/** To the verified address of an account for which another one was entered a moment ago. */
export function renderEmailChangedMail(mail: NoticeMail): MailContent {
  return renderNoticeMail(mail, 'email_changed');
}
