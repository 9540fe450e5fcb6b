import { z } from 'zod';
import { bodyReader, choice } from '../shared/api-fields.js';

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

function moment() {
  const rule = 'must be a date and time of RFC 3339, such as 2030-01-31T12:00:00Z';
  return z
    .string({ error: rule })
    .regex(RFC_3339, rule)
    .transform((given) => new Date(given.toUpperCase()))
    .refine((date) => !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999, rule);
}

/** Body of `POST …/apps/{a}/keys` (contract §8.6); `publicKey` is a PEM, a JWK, or either in base64. */
export const readNewApplicationKey = bodyReader({
  type: choice({ KEY_TYPE_UNSPECIFIED: undefined, KEY_TYPE_JSON: 'KEY_TYPE_JSON' }).default('KEY_TYPE_JSON'),
  expirationDate: moment().optional(),
  publicKey: z.unknown().optional(),
});
