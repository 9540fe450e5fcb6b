import type { UsableFactors } from '../../domain/factors/factors.store.js';
import type { Texts } from '../../pages/texts.js';

/** The result of a form, shown on the page that it leads to; its name is in the address (`?done=`). */
export type Done = keyof Texts['account']['done'];

export function noticeOf(done: string | undefined, { account: { done: texts } }: Texts): string | undefined {
  return done !== undefined && Object.hasOwn(texts, done) ? texts[done as Done] : undefined;
}

/** The page after adding a factor: recovery codes, for a user who has none. */
export function pageAfterFactor({ recoveryCodes }: Pick<UsableFactors, 'recoveryCodes'>): string {
  return recoveryCodes > 0 ? '/account/security' : '/account/security/recovery-codes';
}

export function doneAt(path: string, done: Done): string {
  return `${path}?done=${done}`;
}
