import { singleLine } from '../../shared/display-text.js';
import { html } from '../../shared/html.js';
import {
  linkAsText,
  loginNameLine,
  type Mail,
  mailButton,
  type MailContent,
  mailDocument,
  mailNames,
  paragraphs,
  timeInWords,
} from './mail-layout.js';
import type { MailTexts, NoticeMailTexts } from './mail-texts.js';

/** A mail that tells what happened to an account, so that its owner can object when it was somebody else. */
export interface NoticeMail extends Mail {
  readonly happenedAt: Date;
  /** It ended the account's other sessions. */
  readonly otherSessionsEnded?: boolean | undefined;
  /** Page on our own origin where the owner takes the account back; it carries no code. */
  readonly link?: string | undefined;
}

export function renderNoticeMail(mail: NoticeMail, texts: MailTexts, kind: NoticeMailTexts): MailContent {
  const { link } = mail;
  const names = mailNames(mail, texts);
  const { organization, greeting } = names;
  const told = [greeting, ...kind.paragraphs(organization, timeInWords(mail.happenedAt, texts))];
  if (mail.otherSessionsEnded === true) told.push(kind.signedOutElsewhere);
  const notYou = link === undefined ? kind.notYouWithoutLink(organization) : kind.notYou;
  return {
    subject: singleLine(kind.subject(organization), 120),
    text: [
      ...told,
      `${texts.labelled(texts.loginName)} ${names.loginName}`,
      notYou,
      ...(link === undefined ? [] : [`${texts.labelled(kind.button)}\n${link}`]),
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
        html`${paragraphs(told, light)} ${loginNameLine(names, texts, light)} ${paragraphs([notYou], light)}
        ${link !== undefined && [mailButton(link, kind.button, light), linkAsText(link, texts, light)]}`,
    }),
  };
}
