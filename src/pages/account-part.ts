import { initial, singleLine } from '../domain/shared/display-text.js';
import { html, type Html } from '../rendering/html.js';
import type { Texts } from './texts.js';

/** Who somebody is, as pages show it. Names are data: cut to one line and set apart in their own direction. */
export interface ShownAccount {
  /** The full login name. */
  readonly loginName: string;
  readonly displayName?: string | undefined;
  /** A picture on our own origin (the policy lets no other in); initials stand in for it. */
  readonly pictureUrl?: string | undefined;
}

/** Who a page is for, so that nobody acts for somebody else's account unawares. */
export function accountBox(account: ShownAccount, { form: texts }: Texts): Html {
  return html`<div class="who" role="group" aria-label="${texts.account}">
    ${portrait(account)}
    <div>${accountNames(account)}</div>
  </div>`;
}

/** A quiet picture beside the names; says nothing that they do not say. */
export function portrait({ loginName, displayName, pictureUrl }: ShownAccount): Html {
  return pictureUrl === undefined
    ? html`<span class="initials" aria-hidden="true">${initials(nameOf(displayName) ?? loginName)}</span>`
    : html`<img class="initials" src="${pictureUrl}" alt="" width="40" height="40" />`;
}

/** Name and login name; only the latter when there is no name. */
export function accountNames({ loginName, displayName }: ShownAccount): Html {
  const name = nameOf(displayName);
  return html`${name !== undefined && html`<strong><bdi>${name}</bdi></strong>`}
    <span><bdi>${singleLine(loginName)}</bdi></span>`;
}

function nameOf(displayName: string | undefined): string | undefined {
  return displayName === undefined || displayName.trim() === '' ? undefined : singleLine(displayName);
}

/** Of the first and the last word where a script has capitals: AL for Ada Lovelace, 山 for 山田太郎. */
function initials(name: string): string {
  const words = name.split(' ');
  const first = initial(words[0] ?? '');
  const last = words.length > 1 ? initial(words.at(-1) ?? '') : '';
  return /^\p{Lu}$/u.test(first) && /^\p{Lu}$/u.test(last) ? first + last : initial(name);
}
