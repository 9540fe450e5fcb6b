import { z } from 'zod';

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const RULE = 'must be a date and time of RFC 3339, such as 2030-01-31T12:00:00Z';

/** A date and time in a body. */
export function moment() {
  return z
    .string({ error: RULE })
    .regex(RFC_3339, RULE)
    .meta({ format: 'date-time' })
    .transform((given) => new Date(given.toUpperCase()))
    .refine((date) => !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999, RULE);
}
