import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail.js';

/** To an account whose password somebody says to have forgotten. */
export function renderPasswordResetMail(mail: CodeMail): MailContent {
  return renderCodeMail(mail, 'reset_password');
}
