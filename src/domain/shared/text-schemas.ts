import { z } from 'zod';
import { nameFault } from './hidden-characters.js';

/** Half a surrogate pair is no character either. */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text);
}
export const NO_CONTROLS = 'must not contain control characters';

/** Rules of text that somebody types, for the schemas of the domain and of the APIs. */
function sized(least: number, most: number) {
  const rule = `must have ${least} to ${most} characters`;
  return z
    .string()
    .trim()
    .min(least, rule)
    .max(most, rule)
    .refine((value) => !hasControls(value), NO_CONTROLS);
}

/** One line of text. */
export function line(most: number) {
  return sized(1, most);
}

/** Of an organization, a project, an application …: what pages and mails show. */
export function name(most = 200) {
  return line(most).superRefine((value, context) => {
    // the first character that must not be in a name
    const message = nameFault(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** Text that may be missing or empty, which is the same. */
export function optionalText(most: number) {
  return sized(0, most).default('');
}
