import { type ColourScheme, fonts, radii } from '../../shared/design-tokens.js';
import { singleLine } from '../../shared/display-text.js';
import { html, type Html } from '../../shared/html.js';
import {
  linkAsText,
  loginNameLine,
  loginNameText,
  type Mail,
  mailButton,
  type MailContent,
  mailDocument,
  mailNames,
  paragraphs,
  smallLine,
  timeInWords,
} from './mail-layout.js';
import type { CodeMailTexts, MailTexts } from './mail-texts.js';

/** A mail with a link and a code, either of which does the same. */
export interface CodeMail extends Mail {
  /** Absolute address on our own origin; it may carry the code. */
  readonly link: string;
  readonly code: string;
  readonly expiresAt: Date;
}

export function renderCodeMail(mail: CodeMail, texts: MailTexts, kind: CodeMailTexts): MailContent {
  const { link, code } = mail;
  const names = mailNames(mail, texts);
  const { organization, greeting } = names;
  const lines = [greeting, ...kind.paragraphs(organization)];
  const validUntil = texts.validUntil(timeInWords(mail.expiresAt, texts));
  return {
    subject: singleLine(kind.subject(organization), 120),
    text: [
      ...lines,
      ...loginNameText(names, texts),
      `${texts.labelled(kind.button)}\n${link}`,
      `${texts.code}\n\n    ${code}`,
      `${validUntil}\n${texts.neverShare}`,
      `--\n${kind.why(organization)}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      texts,
      accent: mail.accent,
      organization,
      heading: kind.heading,
      preview: kind.preview(organization),
      why: kind.why(organization),
      body: (light) =>
        html`${paragraphs(lines, light)} ${loginNameLine(names, texts, light)}
        ${mailButton(link, kind.button, light)} ${smallLine(texts.code, light)} ${codeBox(code, light)}
        ${smallLine(validUntil, light)} ${smallLine(texts.neverShare, light)}
        ${linkAsText(link, texts, light)}`,
    }),
  };
}

function codeBox(code: string, light: ColourScheme): Html {
  const box = `margin:0 0 16px;padding:12px 16px;background-color:${light.sunken};border-radius:${radii.field}`;
  const letters = `font:600 28px/36px ${fonts.code};letter-spacing:4px;color:${light.text}`;
  return html`<p class="code" style="${box};${letters}">${code}</p>`;
}
