import type { UsableFactors } from '../../domain/factors/factors.store.js';
import type { Texts } from '../../pages/texts.js';

/** What a form has done, told on the page that it leads to; its name travels in the address (`?done=`). */
export type Done = keyof Texts['account']['done'];

export function noticeOf(done: string | undefined, { account: { done: texts } }: Texts): string | undefined {
  return done !== undefined && Object.hasOwn(texts, done) ? texts[done as Done] : undefined;
}

/** Where one goes on from a factor that was added: to recovery codes, for whoever has none. */
export function pageAfterFactor({ recoveryCodes }: Pick<UsableFactors, 'recoveryCodes'>): string {
  return recoveryCodes > 0 ? '/account/security' : '/account/security/recovery-codes';
}

export function doneAt(path: string, done: Done): string {
  return `${path}?done=${done}`;
}
