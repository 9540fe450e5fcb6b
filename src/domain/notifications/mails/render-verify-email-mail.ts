import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail.js';

/** To an account that has a password, imported or made by its owner: show that this address reaches you. */
export function renderVerifyEmailMail(mail: CodeMail): MailContent {
  return renderCodeMail(mail, 'verify_email');
}
