import { singleLine } from '../../shared/display-text.js';
import { html } from '../../shared/html.js';
import {
  addressLink,
  linkAsText,
  loginNameLine,
  type Mail,
  mailButton,
  type MailContent,
  mailDocument,
  mailNames,
  paragraphs,
  smallLine,
  timeInWords,
} from './mail-layout.js';
import { mailTextsFor } from './mail-texts-for.js';

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
  const { accountExists: kind } = texts;
  const names = mailNames(mail, texts);
  const { organization, greeting } = names;
  const told = [greeting, ...kind.paragraphs(organization, timeInWords(mail.happenedAt, texts))];
  return {
    subject: singleLine(kind.subject(organization), 120),
    text: [
      ...told,
      `${texts.labelled(texts.loginName)} ${names.loginName}`,
      `${texts.labelled(kind.button)}\n${mail.signInLink}`,
      `${kind.forgotten}\n${mail.resetLink}`,
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
        html`${paragraphs(told, light)} ${loginNameLine(names, texts, light)}
        ${mailButton(mail.signInLink, kind.button, light)} ${linkAsText(mail.signInLink, texts, light)}
        ${smallLine(kind.forgotten, light, '24px 0 8px')} ${addressLink(mail.resetLink, light)}`,
    }),
  };
}
