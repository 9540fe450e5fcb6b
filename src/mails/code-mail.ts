import type { CodeMail, MailContent } from '../domain/notifications/mail.js';
import { html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
import { buttonText, mailContent } from './mail-content.js';
import {
  codeBox,
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  smallLine,
  timeInWords,
} from './mail-layout.js';
import { mailWords } from './mail-words.js';

export function renderCodeMail(mail: CodeMail): MailContent {
  const { link, code } = mail;
  const locale = localeOf(mail.language);
  const { mails: texts } = locale;
  const until = timeInWords(mail.expiresAt, locale);
  const words = mailWords(mail, locale, until);
  const validUntil = (link === undefined ? texts.codeValidUntil : texts.validUntil)({ expiresAt: until });
  const lead = link === undefined ? texts.codeAlone : texts.code;
  return mailContent({
    mail,
    locale,
    words,
    text: [
      ...loginNameText(words, locale),
      ...(link === undefined ? [] : [buttonText(link, words, locale)]),
      `${lead}\n\n    ${code}`,
      `${validUntil}\n${texts.neverShare}`,
    ],
    body: (light) =>
      html`${loginNameLine(words, texts, light)}
      ${link !== undefined && mailButton(link, words.button, light)} ${smallLine(lead, light)}
      ${codeBox(code, light)} ${smallLine(validUntil, light)} ${smallLine(texts.neverShare, light)}
      ${link !== undefined && linkAsText(link, texts, light)}`,
  });
}
