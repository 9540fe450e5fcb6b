import { z } from 'zod';
import { readHumanRecord, readNewHuman } from '../../domain/imports/records/human-record.js';
import { idSchema, readDetailsSchema } from './answer-schemas.js';
import { humanSchema, importedProfileSchema } from './human-schemas.js';

/**
 * Bodies and answers about users, for the OpenAPI document. The record of an import is read by a reader of its own,
 * made for a million of them; a test sends what this schema forbids and expects that the reader forbids it as well.
 */
const name = z.string().min(1).max(200);

const unsupported = (type: z.ZodType) =>
  type.optional().meta({ description: 'Not supported: must be left out or empty.' });

const humanRecordSchema = z.strictObject({
  userName: name.meta({ description: 'Unique in the organization, without regard to case.' }),
  profile: importedProfileSchema,
  email: z.strictObject({
    email: z.string().min(1).max(200),
    isEmailVerified: z.boolean().optional(),
  }),
  phone: z
    .strictObject({ phone: z.string().min(1).max(50), isPhoneVerified: z.boolean().optional() })
    .optional(),
  password: z.string().optional().meta({ description: 'In plain text; held against the password policy.' }),
  hashedPassword: z
    .strictObject({ value: z.string(), algorithm: z.unknown().optional().meta({ description: 'Ignored.' }) })
    .optional()
    .meta({ description: 'An encoded hash; wins over `password`.' }),
  passwordChangeRequired: z.boolean().optional(),
  requestPasswordlessRegistration: unsupported(z.boolean()),
  otpCode: unsupported(z.string()),
  idps: unsupported(z.array(z.unknown())),
  recoveryCodes: unsupported(z.array(z.unknown())),
});

/** Body of `_import`. */
export const readHuman = Object.assign((body: unknown) => readHumanRecord(body), {
  schema: humanRecordSchema,
});

/** Body of `users/human`. */
export const readAddedHuman = Object.assign((body: unknown) => readNewHuman(body), {
  schema: humanRecordSchema.omit({ hashedPassword: true }),
});

export const userStateSchema = z.enum([
  'USER_STATE_INITIAL',
  'USER_STATE_ACTIVE',
  'USER_STATE_INACTIVE',
  'USER_STATE_LOCKED',
]);

const text = z.string().min(1);
const machineSchema = z.strictObject({
  name: z.string(),
  description: text.optional(),
  accessTokenType: z.literal('ACCESS_TOKEN_TYPE_JWT').optional(),
});

/** A user as it is read. */
export const userSchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  state: userStateSchema,
  userName: text,
  loginNames: z.array(text),
  preferredLoginName: text,
  human: humanSchema.optional(),
  machine: machineSchema.optional(),
});
