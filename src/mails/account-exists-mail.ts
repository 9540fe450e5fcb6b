import type { AccountExistsMail, MailContent } from '../domain/notifications/mail.js';
import { html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
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
import { mailWords } from './mail-words.js';

export function renderAccountExistsMail(mail: AccountExistsMail): MailContent {
  const locale = localeOf(mail.language);
  const { mails: texts } = locale;
  const { forgotten } = texts.account_exists;
  const words = mailWords(mail, locale, timeInWords(mail.happenedAt, locale));
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...loginNameText(words, locale),
      `${locale.labelled({ label: words.button })}\n${mail.signInLink}`,
      `${forgotten}\n${mail.resetLink}`,
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      locale,
      words,
      body: (light) =>
        html`${loginNameLine(words, texts, light)} ${mailButton(mail.signInLink, words.button, light)}
        ${linkAsText(mail.signInLink, texts, light)} ${smallLine(forgotten, light, '24px 0 8px')}
        ${addressLink(mail.resetLink, light)}`,
    }),
  };
}
