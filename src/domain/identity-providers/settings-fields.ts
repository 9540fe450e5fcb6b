import { z } from 'zod';
import { line } from '../shared/text-schemas.js';

/** Fields of settings that several kinds of providers have. */
export const url = line(2000);

/** The name of a claim, or of an attribute. */
export const claim = line(200);

export const requiredClaims = z
  .record(claim, line(500))
  .refine((claims) => Object.keys(claims).length <= 20, 'must have at most 20 entries')
  .default({})
  .meta({ description: 'Claims that must have these values, or nobody gets in.' });

/** Absent unless somebody has entered it. */
export const secretExpirationDate = z.iso.datetime().optional().meta({
  description: 'When the secret or `bindPassword` is taken no longer: somebody is warned thirty days before.',
});

/** Stored only if true. */
export const signOutAtProvider = z
  .boolean()
  .transform((signsOut) => signsOut || undefined)
  .optional()
  .meta({ description: 'Whoever signs out here is sent to sign out at the provider as well.' });
