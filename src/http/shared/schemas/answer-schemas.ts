import { z } from 'zod';

/** Schemas of what answers have in common (protocol §0.1, §4); the OpenAPI document shows them, tests hold answers to them. */
const sequence = z.string().regex(/^\d+$/).meta({ description: 'Raised by each change of the object.' });
const creationDate = z.iso.datetime().meta({ description: 'When it was made.' });
const changeDate = z.iso.datetime().meta({ description: 'When it was last changed.' });
const resourceOwner = z.string().meta({ description: 'The organization that owns it.' });

export const createdDetailsSchema = z.strictObject({ sequence, creationDate, resourceOwner });
export const changedDetailsSchema = z.strictObject({ sequence, changeDate, resourceOwner });
export const readDetailsSchema = z.strictObject({
  sequence,
  // a default that was never changed has no dates
  creationDate: creationDate.optional(),
  changeDate: changeDate.optional(),
  resourceOwner,
});

export const idSchema = z.string().min(1).max(200);
