import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail.js';

/** To a new account without a password: set one, and verify the address by the same act. */
export function renderInitMail(mail: CodeMail): MailContent {
  return renderCodeMail(mail, 'initialise');
}
