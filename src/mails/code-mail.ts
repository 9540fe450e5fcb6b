import type { CodeMail, MailContent } from '../domain/notifications/mail.js';
import { html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
import {
  codeBox,
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  mailDocument,
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
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...loginNameText(words, locale),
      ...(link === undefined ? [] : [`${locale.labelled({ label: words.button })}\n${link}`]),
      `${lead}\n\n    ${code}`,
      `${validUntil}\n${texts.neverShare}`,
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      locale,
      words,
      body: (light) =>
        html`${loginNameLine(words, texts, light)}
        ${link !== undefined && mailButton(link, words.button, light)} ${smallLine(lead, light)}
        ${codeBox(code, light)} ${smallLine(validUntil, light)} ${smallLine(texts.neverShare, light)}
        ${link !== undefined && linkAsText(link, texts, light)}`,
    }),
  };
}
