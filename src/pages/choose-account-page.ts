import { singleLine } from '../domain/shared/display-text.js';
import { attributes, html, type Html } from '../rendering/html.js';
import { accountNames, portrait, type ShownAccount } from './account-part.js';
import { form, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import type { Texts } from './texts.js';

export interface ChoosableAccount extends ShownAccount {
  /** Sent back as `account`, or as `remove`; meaningless outside this browser's own flow. */
  readonly id: string;
  /** Else its session is over or too old for this request, and choosing it asks for the password. */
  readonly isSignedIn: boolean;
}

interface ChooseAccountPage extends Page {
  /** Every button sends it: `account=<id>`, `remove=<id>` or `other=true`. */
  readonly form: FormView;
  readonly applicationName?: string | undefined;
  /** Most recent first. */
  readonly accounts: readonly ChoosableAccount[];
  /** Without it accounts cannot be taken off the list. */
  readonly canRemove?: boolean | undefined;
}

/** Which of the accounts in this browser to continue with, or another one. */
export function renderChooseAccountPage(page: ChooseAccountPage): string {
  const { texts } = page;
  return renderPage(page, {
    heading: texts.chooseAccount.title,
    lead:
      page.applicationName === undefined
        ? undefined
        : texts.signIn.continueTo.html({ application: named(page.applicationName) }),
    body: form(
      page.form,
      html`<ul class="accounts">
          ${page.accounts.map(
            (account, index) =>
              html`<li>
                ${choice(account, index + 1, texts)} ${page.canRemove === true && removal(account, texts)}
              </li>`,
          )}
        </ul>
        <button class="button quiet" type="submit" id="other-account" name="other" value="true">
          ${texts.chooseAccount.otherAccount}
        </button>`,
    ),
  });
}

function choice(account: ChoosableAccount, number: number, { chooseAccount: texts }: Texts): Html {
  const button = { type: 'submit', id: `account-${number}`, name: 'account', value: account.id };
  return html`<button class="account" ${attributes(button)}>
    ${portrait(account)}
    <span class="names">
      ${accountNames(account)}
      <span class="${account.isSignedIn ? 'state on' : 'state'}">
        ${account.isSignedIn ? texts.signedIn : texts.signedOut}
      </span>
    </span>
  </button>`;
}

function removal({ id, loginName }: ChoosableAccount, { chooseAccount: texts }: Texts): Html {
  const name = texts.remove({ name: singleLine(loginName) });
  const button = { type: 'submit', name: 'remove', value: id, 'aria-label': name, title: name };
  return html`<button class="remove" ${attributes(button)}>
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M4 4l8 8M12 4l-8 8"
        fill="none"
        stroke="currentColor"
        stroke-width="1.75"
        stroke-linecap="round"
      />
    </svg>
  </button>`;
}
