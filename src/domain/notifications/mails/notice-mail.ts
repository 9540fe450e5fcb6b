import { html } from '../../shared/html.js';
import {
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  mailDocument,
  paragraphs,
  timeInWords,
} from './mail-layout.js';
import type { Mail, MailContent } from './mail.js';
import { mailTextsFor } from './mail-texts-for.js';
import { mailWords } from './mail-words.js';

/** A mail that tells what happened to an account, so that its owner can object when it was somebody else. */
export interface NoticeMail extends Mail {
  readonly happenedAt: Date;
  /** It ended the account's other sessions. */
  readonly otherSessionsEnded?: boolean | undefined;
  /** Page on our own origin where the owner takes the account back; it carries no code. */
  readonly link?: string | undefined;
}

export function renderNoticeMail(mail: NoticeMail, type: 'password_changed' | 'email_changed'): MailContent {
  const { link } = mail;
  const texts = mailTextsFor(mail);
  const kind = type === 'password_changed' ? texts.passwordChanged : texts.emailChanged;
  const words = mailWords(type, mail, texts, timeInWords(mail.happenedAt, texts));
  const ended = mail.otherSessionsEnded === true ? [kind.signedOutElsewhere] : [];
  const notYou = link === undefined ? kind.notYouWithoutLink(words.organization) : kind.notYou;
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...ended,
      ...loginNameText(words, texts),
      notYou,
      ...(link === undefined ? [] : [`${texts.labelled(words.button)}\n${link}`]),
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      texts,
      words,
      body: (light) =>
        html`${paragraphs(ended, light)} ${loginNameLine(words, texts, light)} ${paragraphs([notYou], light)}
        ${link !== undefined && [mailButton(link, words.button, light), linkAsText(link, texts, light)]}`,
    }),
  };
}
