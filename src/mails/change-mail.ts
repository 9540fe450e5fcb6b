import type { ChangeMail, MailContent } from '../domain/notifications/mail.js';
import { html } from '../rendering/html.js';
import { localeOf } from '../rendering/locales.js';
import { buttonText, mailContent } from './mail-content.js';
import {
  linkAsText,
  loginNameLine,
  loginNameText,
  mailButton,
  paragraphs,
  timeInWords,
} from './mail-layout.js';
import { mailWords } from './mail-words.js';

/** What there is to do for whoever knows nothing of it. */
const NOT_YOU = {
  password_changed: 'notYou',
  email_changed: 'notYou',
  phone_changed: 'notYou',
  passkey_added: 'notYouPasskey',
  passkey_removed: 'notYouPasskey',
  factor_added: 'notYouFactor',
  factor_removed: 'notYouFactor',
  recovery_codes_made: 'notYouFactor',
  recovery_code_used: 'notYouFactor',
  factors_reset: 'notYouFactor',
  account_deleted: 'notYou',
} as const satisfies Record<ChangeMail['template'], string>;

export function renderChangeMail(mail: ChangeMail): MailContent {
  const { link } = mail;
  const locale = localeOf(mail.language);
  const { mails: texts } = locale;
  const words = mailWords(mail, locale, timeInWords(mail.happenedAt, locale));
  const ended = mail.otherSessionsEnded === true ? [texts.change.signedOutElsewhere] : [];
  const notYou =
    link === undefined
      ? texts.change.notYouWithoutLink({ organizationName: words.organization })
      : texts.change[NOT_YOU[mail.template]];
  return mailContent({
    mail,
    locale,
    words,
    text: [
      ...ended,
      ...loginNameText(words, locale),
      notYou,
      ...(link === undefined ? [] : [buttonText(link, words, locale)]),
    ],
    body: (light) =>
      html`${paragraphs(ended, light)} ${loginNameLine(words, texts, light)} ${paragraphs([notYou], light)}
      ${link !== undefined && [mailButton(link, words.button, light), linkAsText(link, texts, light)]}`,
  });
}
