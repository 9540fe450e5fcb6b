import { z } from 'zod';

/** PostgreSQL has no NUL in a text: what is looked for with one is nowhere, and asking for it is an error. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000');
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
