import type { MailContent, ResetChoiceMail } from '../domain/notifications/mail.js';
import { singleLine, unlinked } from '../domain/shared/display-text.js';
import { html } from '../rendering/html.js';
import { localeOf, type Locale } from '../rendering/locales.js';
import { buttonText, mailContent } from './mail-content.js';
import { accountLines, linkAsText, mailButton, timeInWords } from './mail-layout.js';
import { mailWords, shownLoginName } from './mail-words.js';

export function renderResetChoiceMail(mail: ResetChoiceMail): MailContent {
  const locale = localeOf(mail.language);
  const { mails: texts } = locale;
  const words = mailWords(mail, locale, timeInWords(mail.happenedAt, locale));
  const shown = mail.accounts.map((account) => shownAccount(account, texts));
  return mailContent({
    mail,
    locale,
    words,
    text: [
      ...shown.map(({ loginName, organization, need }) => `${loginName}\n${organization}\n${need}`),
      buttonText(mail.link, words, locale),
    ],
    body: (light) =>
      html`${shown.map(({ loginName, organization, need }) =>
        accountLines(loginName, [organization, need], light),
      )}
      ${mailButton(mail.link, words.button, light)} ${linkAsText(mail.link, texts, light)}`,
  });
}

function shownAccount(
  { loginName, organizationName, hasPassword }: ResetChoiceMail['accounts'][number],
  { reset_choice: texts }: Locale['mails'],
): { readonly loginName: string; readonly organization: string; readonly need: string } {
  return {
    loginName: shownLoginName(singleLine(loginName, 250)),
    organization: unlinked(singleLine(organizationName, 100)),
    need: hasPassword ? texts.needsNewPassword : texts.needsFirstPassword,
  };
}
