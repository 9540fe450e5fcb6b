import type { CodeMail, MailContent } from '../domain/notifications/mail.js';
import { fonts, radii, type ColourScheme } from '../rendering/design-tokens.js';
import { html, type Html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
import {
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

function codeBox(code: string, light: ColourScheme): Html {
  const box = `margin:0 0 16px;padding:12px 16px;background-color:${light.sunken};border-radius:${radii.field}`;
  const letters = `font:600 28px/36px ${fonts.code};letter-spacing:4px;color:${light.text}`;
  return html`<p class="code" style="${box};${letters}">${code}</p>`;
}
