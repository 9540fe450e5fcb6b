import type { MailContent } from './mail.js';
import { type NoticeMail, renderNoticeMail } from './notice-mail.js';

/** To the owner of an account that has another password since a moment ago, however it came about. */
export function renderPasswordChangedMail(mail: NoticeMail): MailContent {
  return renderNoticeMail(mail, 'password_changed');
}
