import { type CodeMail, renderCodeMail } from './code-mail.js';
import type { MailContent } from './mail.js';

/**
 * To somebody who asks for an account: show that this address is theirs. It is sent to whatever address a stranger
 * typed, so it repeats nothing else that was typed.
 */
export function renderRegisterMail(mail: CodeMail): MailContent {
  return renderCodeMail(mail, 'register');
}
