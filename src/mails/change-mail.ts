import type { ChangeMail, MailContent } from '../domain/notifications/mail.js';
import { html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
import {
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  mailDocument,
  paragraphs,
  timeInWords,
} from './mail-layout.js';
import { mailWords } from './mail-words.js';

export function renderChangeMail(mail: ChangeMail): MailContent {
  const { link } = mail;
  const locale = localeOf(mail.language);
  const { mails: texts } = locale;
  const words = mailWords(mail, locale, timeInWords(mail.happenedAt, locale));
  const ended = mail.otherSessionsEnded === true ? [texts.change.signedOutElsewhere] : [];
  const notYou =
    link === undefined
      ? texts.change.notYouWithoutLink({ organizationName: words.organization })
      : mail.template === 'passkey_added' || mail.template === 'passkey_removed'
        ? texts.change.notYouPasskey
        : texts.change.notYou;
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...ended,
      ...loginNameText(words, locale),
      notYou,
      ...(link === undefined ? [] : [`${locale.labelled({ label: words.button })}\n${link}`]),
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      locale,
      words,
      body: (light) =>
        html`${paragraphs(ended, light)} ${loginNameLine(words, texts, light)} ${paragraphs([notYou], light)}
        ${link !== undefined && [mailButton(link, words.button, light), linkAsText(link, texts, light)]}`,
    }),
  };
}
