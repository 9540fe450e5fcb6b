import { z } from 'zod';
import { nameFault } from '../../../domain/shared/hidden-characters.js';

function sized(least: number, most: number) {
  const rule = `must have ${least} to ${most} characters`;
  return z
    .string()
    .trim()
    .min(least, rule)
    .max(most, rule)
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), 'must not contain control characters');
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

/** PostgreSQL has no NUL in a text: what is looked for with one is nowhere, and asking for it is an error. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000');
}

/** Text that may be missing or empty, which is the same. */
export function optionalText(most: number) {
  return sized(0, most).default('');
}

/** A known field that we cannot act on yet: harmless while empty, refused otherwise. */
export function unsupported() {
  return z
    .unknown()
    .meta({ description: 'Not supported: must be left out or empty.' })
    .refine((value) => isEmpty(value), 'is not supported')
    .optional();
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
