import type { Texts } from '../../pages/texts.js';

/** What a form has done, told on the page that it leads to; its name travels in the address (`?done=`). */
export type Done = keyof Texts['account']['done'];

export function noticeOf(done: string | undefined, { account: { done: texts } }: Texts): string | undefined {
  return done !== undefined && Object.hasOwn(texts, done) ? texts[done as Done] : undefined;
}

export function doneAt(path: string, done: Done): string {
  return `${path}?done=${done}`;
}
