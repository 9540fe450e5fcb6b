import type { PasskeyRefusal } from '../domain/passkeys/passkey-refusal.js';
import { html } from '../rendering/html.js';
import { accountBox, type ShownAccount } from './account-part.js';
import { formAddress, refusalBox, wayLink, ways, type FormView } from './form-parts.js';
import { named, renderPage, type Page } from './layout.js';
import { passkeyForm } from './passkey-part.js';

interface PasskeyLinkPage extends Page {
  /** With the link's id and code. */
  readonly form: FormView;
  readonly account: ShownAccount;
  readonly refusal?: PasskeyRefusal | undefined;
  readonly signInUrl: string;
}

/** Behind a link that somebody was handed: whoever has it adds a passkey, and then signs in with it. */
export function renderPasskeyLinkPage(page: PasskeyLinkPage): string {
  const { texts, form, refusal } = page;
  const { passkeyLink: words, account, setPassword } = texts;
  return renderPage(page, {
    heading: words.title,
    lead: setPassword.lead.html({ organization: named(page.organization.name) }),
    hasProblem: refusal !== undefined,
    address: formAddress(form, { ...form.hidden }),
    body: [
      accountBox(page.account, texts),
      refusal !== undefined && refusalBox(account.passkeys.failed, account.passkeys.refusals[refusal]),
      html`<p>${account.passkeys.lead} ${words.own}</p>`,
      passkeyForm(page, {
        form,
        challengePath: `${form.action}/challenge`,
        does: 'create',
        label: words.create,
        absent: words.absent,
        primary: true,
      }),
      ways(wayLink(page.signInUrl, texts.waysOn.signIn)),
    ],
  });
}
