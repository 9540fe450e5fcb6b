import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail-layout.js';
import { mailTextsFor } from './mail-texts-for.js';

/** To an account whose password somebody says to have forgotten. */
export function renderPasswordResetMail(mail: CodeMail): MailContent {
  const texts = mailTextsFor(mail);
  return renderCodeMail(mail, texts, texts.passwordReset);
}
