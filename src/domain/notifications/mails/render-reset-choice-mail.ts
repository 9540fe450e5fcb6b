import { singleLine, unlinked } from '../../shared/display-text.js';
import { html } from '../../shared/html.js';
import type { ResetChoice } from '../reset-choice.js';
import { accountLines, linkAsText, mailButton, mailDocument, timeInWords } from './mail-layout.js';
import type { Mail, MailContent } from './mail.js';
import { mailTextsFor } from './mail-texts-for.js';
import type { MailTexts } from './mail-texts.js';
import { mailWords, shownLoginName } from './mail-words.js';

export interface ResetChoiceMail extends Mail {
  readonly happenedAt: Date;
  /** To the page for forgotten passwords; it carries nothing. */
  readonly link: string;
  readonly accounts: ResetChoice['accounts'];
}

/**
 * To the owner of an address that stands for several accounts, after somebody gave it on the page for forgotten
 * passwords. Greets nobody by name, for which of the accounts is meant is not known.
 */
export function renderResetChoiceMail(mail: ResetChoiceMail): MailContent {
  const texts = mailTextsFor(mail);
  const words = mailWords('reset_choice', mail, texts, timeInWords(mail.happenedAt, texts));
  const shown = mail.accounts.map((account) => shownAccount(account, texts));
  return {
    subject: words.subject,
    text: [
      words.greeting,
      ...words.paragraphs,
      ...shown.map(({ loginName, organization, need }) => `${loginName}\n${organization}\n${need}`),
      `${texts.labelled(words.button)}\n${mail.link}`,
      `--\n${words.footer}`,
      '',
    ].join('\n\n'),
    html: mailDocument({
      mail,
      texts,
      words,
      body: (light) =>
        html`${shown.map(({ loginName, organization, need }) =>
          accountLines(loginName, [organization, need], light),
        )}
        ${mailButton(mail.link, words.button, light)} ${linkAsText(mail.link, texts, light)}`,
    }),
  };
}

function shownAccount(
  { loginName, organizationName, hasPassword }: ResetChoice['accounts'][number],
  { resetChoice }: MailTexts,
): { readonly loginName: string; readonly organization: string; readonly need: string } {
  return {
    loginName: shownLoginName(singleLine(loginName, 250)),
    organization: unlinked(singleLine(organizationName, 100)),
    need: hasPassword ? resetChoice.needsNewPassword : resetChoice.needsFirstPassword,
  };
}
