import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail-layout.js';
import { mailTextsFor } from './mail-texts-for.js';

/** To a new account without a password: set one, and verify the address by the same act. */
export function renderInitMail(mail: CodeMail): MailContent {
  const texts = mailTextsFor(mail);
  return renderCodeMail(mail, texts, texts.init);
}
