import { z } from 'zod';
import { idSchema, readDetailsSchema } from './answer-schemas.js';

/** What answers about a human and their sessions hold. */
export const emailSchema = z.strictObject({
  email: z.string(),
  isEmailVerified: z.literal(true).optional(),
  pendingEmail: z
    .string()
    .optional()
    .meta({ description: 'Takes the place of the verified address once its code came back.' }),
});

export const profileAnswer = z.strictObject({
  details: readDetailsSchema,
  profile: z.strictObject({
    firstName: z.string(),
    lastName: z.string(),
    displayName: z.string(),
    nickName: z.string().optional(),
    preferredLanguage: z.string().optional(),
    gender: z.string().optional(),
  }),
});

export const emailAnswer = z.strictObject({ details: readDetailsSchema, email: emailSchema });

export const phoneAnswer = z.strictObject({
  details: readDetailsSchema,
  phone: z.strictObject({ phone: z.string(), isPhoneVerified: z.literal(true).optional() }),
});

export const sessionsAnswer = z.strictObject({
  result: z.array(
    z.strictObject({
      id: idSchema,
      browser: z.string().optional(),
      creationDate: z.iso.datetime(),
      authenticationDate: z.iso.datetime(),
      lastSeenDate: z.iso.datetime(),
    }),
  ),
});
