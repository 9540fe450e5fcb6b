import { type ColourScheme, fonts, radii } from '../../shared/design-tokens.js';
import { html, type Html } from '../../shared/html.js';
import type { MailType } from '../templates/message-texts.js';
import {
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

/** A mail with a link and a code, either of which does the same. */
export interface CodeMail extends Mail {
  /** Absolute address on our own origin; it may carry the code. */
  readonly link: string;
  readonly code: string;
  readonly expiresAt: Date;
}

export function renderCodeMail(mail: CodeMail, type: MailType): MailContent {
  const { link, code } = mail;
  const texts = mailTextsFor(mail);
  const until = timeInWords(mail.expiresAt, texts);
  const words = mailWords(type, mail, texts, until);
  const validUntil = texts.validUntil(until);
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...loginNameText(words, texts),
      `${texts.labelled(words.button)}\n${link}`,
      `${texts.code}\n\n    ${code}`,
      `${validUntil}\n${texts.neverShare}`,
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      texts,
      words,
      body: (light) =>
        html`${loginNameLine(words, texts, light)} ${mailButton(link, words.button, light)}
        ${smallLine(texts.code, light)} ${codeBox(code, light)} ${smallLine(validUntil, light)}
        ${smallLine(texts.neverShare, light)} ${linkAsText(link, texts, light)}`,
    }),
  };
}

function codeBox(code: string, light: ColourScheme): Html {
  const box = `margin:0 0 16px;padding:12px 16px;background-color:${light.sunken};border-radius:${radii.field}`;
  const letters = `font:600 28px/36px ${fonts.code};letter-spacing:4px;color:${light.text}`;
  return html`<p class="code" style="${box};${letters}">${code}</p>`;
}
