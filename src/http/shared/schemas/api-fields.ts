import { z } from 'zod';

/** PostgreSQL has no NUL in a text: what is looked for with one is nowhere, and asking for it is an error. */
export function storable(text: z.ZodString): z.ZodString {
  return text.refine((value) => !value.includes('\u0000'), 'must not contain NUL');
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
