import { type CodeMail, type MailContent, renderCodeMail } from './mail-layout.js';
import { mailTextsFor } from './mail-texts-for.js';

/** To a new account without a password: set one, and verify the address by the same act. */
export function renderInitMail(mail: CodeMail): MailContent {
  const texts = mailTextsFor(mail.locale);
  return renderCodeMail(mail, texts, texts.init);
}
