import { z } from 'zod';
import { storable } from './schemas/api-fields.js';

/** A condition of a search that names something by an id or a word; absent means any. */
export function condition() {
  return storable(
    z.string({ error: 'must be a string' }).min(1, 'must not be empty').max(200, 'is too long'),
  ).optional();
}

/** A bound in time (RFC 3339). */
export function momentCondition() {
  return z.iso
    .datetime({ offset: true, error: 'must be a time as in RFC 3339' })
    .transform((text) => new Date(text))
    .optional();
}
