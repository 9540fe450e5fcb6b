import { ApiError } from '../../shared/errors.js';
import { nameFault } from '../../shared/hidden-characters.js';

/**
 * Controls (line breaks, NUL), unpaired surrogates, line and paragraph separators, and what overrides or
 * isolates the writing direction: in a name they forge mail headers, log lines and the text around the name.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** Whether `text` has more than `most` characters (Unicode code points), without counting a huge text. */
export function isLongerThan(most: number, text: string): boolean {
  return text.length > most && (text.length > 2 * most || Array.from(text).length > most);
}

/** Whether `text` may stand in one line of text that is no name. */
export function isPlainText(text: string): boolean {
  return !UNSAFE.test(text);
}

/** Refuses, rather than removes, what must not be in a name: the caller's data is never changed silently. */
export function requireName(path: string, text: string): void {
  const fault = nameFault(text);
  if (fault !== undefined) throw new ApiError('invalid-argument', `${path} ${fault}`);
}

/** For text that is no name. */
export function requirePlainText(path: string, text: string): void {
  if (!isPlainText(text)) {
    const rule =
      'must not contain control characters, line breaks or characters that override text direction';
    throw new ApiError('invalid-argument', `${path} ${rule}`);
  }
}
