import { type CodeMail, type MailContent, renderCodeMail } from './mail-layout.js';
import { mailTextsFor } from './mail-texts-for.js';

/** To an account that has a password: show that this address reaches you. */
export function renderVerifyEmailMail(mail: CodeMail): MailContent {
  const texts = mailTextsFor(mail.locale);
  return renderCodeMail(mail, texts, texts.verifyEmail);
}
