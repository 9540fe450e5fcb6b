import type { AccountExistsMail, MailContent } from '../domain/notifications/mail.js';
import { html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
import { buttonText, mailContent } from './mail-content.js';
import {
  addressLink,
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  smallLine,
  timeInWords,
} from './mail-layout.js';
import { mailWords } from './mail-words.js';

export function renderAccountExistsMail(mail: AccountExistsMail): MailContent {
  const locale = localeOf(mail.language);
  const { mails: texts } = locale;
  const { forgotten } = texts.account_exists;
  const words = mailWords(mail, locale, timeInWords(mail.happenedAt, locale));
  return mailContent({
    mail,
    locale,
    words,
    text: [
      ...loginNameText(words, locale),
      buttonText(mail.signInLink, words, locale),
      `${forgotten}\n${mail.resetLink}`,
    ],
    body: (light) =>
      html`${loginNameLine(words, texts, light)} ${mailButton(mail.signInLink, words.button, light)}
      ${linkAsText(mail.signInLink, texts, light)} ${smallLine(forgotten, light, '24px 0 8px')}
      ${addressLink(mail.resetLink, light)}`,
  });
}
