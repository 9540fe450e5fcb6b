import { html } from '../../shared/html.js';
import {
  addressLink,
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  mailDocument,
  smallLine,
  timeInWords,
} from './mail-layout.js';
import type { Mail, MailContent } from './mail.js';
import { mailTextsFor } from './mail-texts-for.js';
import { mailWords } from './mail-words.js';

/** Neither link carries a code. */
export interface AccountExistsMail extends Mail {
  readonly happenedAt: Date;
  readonly signInLink: string;
  readonly resetLink: string;
}

/**
 * To an account whose address somebody gave for another one. The page tells that person nothing, so the owner of the
 * mailbox learns it here, and how to get in.
 */
export function renderAccountExistsMail(mail: AccountExistsMail): MailContent {
  const texts = mailTextsFor(mail);
  const { forgotten } = texts.accountExists;
  const words = mailWords('account_exists', mail, texts, timeInWords(mail.happenedAt, texts));
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...loginNameText(words, texts),
      `${texts.labelled(words.button)}\n${mail.signInLink}`,
      `${forgotten}\n${mail.resetLink}`,
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      texts,
      words,
      body: (light) =>
        html`${loginNameLine(words, texts, light)} ${mailButton(mail.signInLink, words.button, light)}
        ${linkAsText(mail.signInLink, texts, light)} ${smallLine(forgotten, light, '24px 0 8px')}
        ${addressLink(mail.resetLink, light)}`,
    }),
  };
}
