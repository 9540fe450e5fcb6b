import { z } from 'zod';

/** An id that a body names. */
export function idField<Id extends string>() {
  return z
    .string()
    .regex(/^[!-~]{1,200}$/, 'is not an id')
    .transform((id) => id as Id);
}

/** Empty is absent (protocol §0.1). */
export function optionalIdField<Id extends string>() {
  return z
    .string()
    .regex(/^[!-~]{0,200}$/, 'is not an id')
    .transform((id) => (id === '' ? undefined : (id as Id)))
    .optional();
}
