import { z } from 'zod';
import { ID_FORM } from '../../../domain/shared/ids.js';

/** An id that a body names. */
export function idField<Id extends string>() {
  return z
    .string()
    .regex(ID_FORM, 'is not an id')
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
