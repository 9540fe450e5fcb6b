import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail-layout.js';
import { mailTextsFor } from './mail-texts-for.js';

/** To an account that has a password, imported or made by its owner: show that this address reaches you. */
export function renderVerifyEmailMail(mail: CodeMail): MailContent {
  const texts = mailTextsFor(mail);
  return renderCodeMail(mail, texts, texts.verifyEmail);
}
