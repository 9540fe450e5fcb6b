import { z } from 'zod';
import {
  LONGEST_LANGUAGE,
  LONGEST_NAME,
  LONGEST_TEXT,
  LONGEST_URL,
} from '../../domain/imports/records/human-profile.js';
import { idSchema, readDetailsSchema } from './answer-schemas.js';
import { choice } from './api-fields.js';

const GENDERS = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const;

const name = z.string().min(1).max(LONGEST_NAME);
const optionalName = z.string().max(LONGEST_NAME).optional();
const url = z.string().max(LONGEST_URL).optional();
const lines = z.string().max(LONGEST_TEXT).optional();

/** A profile as it is written; the rules are `readProfile`'s in domain/imports/records/human-profile.ts. */
export const importedProfileSchema = z.strictObject({
  firstName: name,
  lastName: name,
  nickName: optionalName,
  displayName: z
    .string()
    .max(2 * LONGEST_NAME + 1)
    .optional()
    .meta({
      description: `Without it first and last name. Any other has at most ${LONGEST_NAME} characters.`,
    }),
  preferredLanguage: z.string().max(LONGEST_LANGUAGE).optional().meta({ description: 'BCP 47 tag.' }),
  gender: choice(Object.fromEntries(GENDERS.map((gender) => [gender, gender]))).optional(),
});

export const profileSchema = importedProfileSchema.extend({
  middleName: optionalName,
  profile: url.meta({ description: 'http or https URL of the profile page.' }),
  picture: url.meta({ description: 'http or https URL.' }),
  website: url.meta({ description: 'http or https URL.' }),
  birthdate: z.string().optional().meta({ description: '`YYYY-MM-DD` or `YYYY`.' }),
  zoneinfo: z.string().max(64).optional().meta({ description: 'Time zone, such as `Europe/Zurich`.' }),
  address: z
    .strictObject({
      formatted: lines,
      streetAddress: lines,
      locality: optionalName,
      region: optionalName,
      postalCode: optionalName,
      country: optionalName,
    })
    .optional(),
});

const text = z.string().min(1);

/** What answers about a human and their sessions hold. */
const profileFields = z.strictObject({
  firstName: text,
  lastName: text,
  displayName: text,
  middleName: text.optional(),
  nickName: text.optional(),
  preferredLanguage: text.optional(),
  gender: z.enum(GENDERS).optional(),
  profile: text.optional(),
  picture: text.optional(),
  website: text.optional(),
  birthdate: text.optional(),
  zoneinfo: text.optional(),
  address: z
    .strictObject({
      formatted: text.optional(),
      streetAddress: text.optional(),
      locality: text.optional(),
      region: text.optional(),
      postalCode: text.optional(),
      country: text.optional(),
    })
    .optional(),
});

const emailFields = z.strictObject({
  email: z.string(),
  isEmailVerified: z.boolean().optional(),
  pendingEmail: z
    .string()
    .optional()
    .meta({ description: 'Takes the place of the verified address once its code came back.' }),
});

const phoneFields = z.strictObject({ phone: text, isPhoneVerified: z.boolean().optional() });

export const humanSchema = z.strictObject({
  profile: profileFields,
  email: emailFields,
  phone: phoneFields.optional(),
});

export const profileAnswer = z.strictObject({ details: readDetailsSchema, profile: profileFields });

export const emailAnswer = z.strictObject({ details: readDetailsSchema, email: emailFields });

export const phoneAnswer = z.strictObject({ details: readDetailsSchema, phone: phoneFields });

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
