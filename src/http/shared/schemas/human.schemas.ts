import { z } from 'zod';
import { readEmailAddress } from '../../../domain/imports/records/email-address.js';
import {
  furtherRules,
  GENDER_NAMES,
  importedProfileSchema,
  isTextRule,
  LONGEST_NAME,
  readProfileReplacement,
  type Rules,
  type TextRule,
} from '../../../domain/imports/records/human-profile.js';
import { readPhoneNumber } from '../../../domain/imports/records/phone-number.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { Gender, HumanUser } from '../../../domain/users/user.js';
import { answerFrom, detailsOfRecord } from '../answers.js';
import { bodyOfReader } from '../body-of-reader.js';

const GENDERS = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const;

const name = z.string().min(1).max(LONGEST_NAME);

/** What is written of the further fields, all of which may be left out. */
function written(rules: Rules): Record<string, z.ZodType> {
  const fields = Object.entries(rules).map(([field, rule]) => {
    const schema = isTextRule(rule) ? rule.schema : z.strictObject(written(rule));
    return [field, schema.optional()];
  });
  return Object.fromEntries(fields) as Record<string, z.ZodType>;
}

const namedOtherwise = name
  .optional()
  .meta({ description: 'Both may be left out where there is a `displayName`.' });

const profileSchema = importedProfileSchema.extend({
  firstName: namedOtherwise,
  lastName: namedOtherwise,
  ...written(furtherRules),
});

/** What PUT does to a profile, for whoever reads the document. */
export const REPLACED_PROFILE =
  'Names, display name, language and gender are replaced as a whole: what is left out is removed. The other fields ' +
  'change only where they are named; `""` or `"address": {}` removes one.';

/** Body of `profile` PUT. */
export const profileBody = bodyOfReader(
  readProfileReplacement,
  profileSchema.meta({
    anyOf: [{ required: ['firstName', 'lastName'] }, { required: ['displayName'] }],
    examples: [
      {
        firstName: 'Ada',
        lastName: 'Lovelace',
        nickName: 'Countess',
        displayName: 'Ada Lovelace',
        preferredLanguage: 'en',
        gender: 'GENDER_FEMALE',
        website: 'https://ada.example.com/',
        address: { locality: 'London', country: 'United Kingdom' },
      },
    ],
  }),
);

/** Body of `email` PUT: what GET answers. */
export const emailBody = z
  .strictObject({
    email: z.string().optional(),
    isEmailVerified: z.boolean().default(false),
    pendingEmail: z.string().optional(),
  })
  .meta({ required: ['email'], examples: [{ email: 'ada@example.com' }] })
  .transform(({ email, isEmailVerified: verified, pendingEmail = '' }): HumanUser['email'] => {
    const address = readEmailAddress(email);
    if (pendingEmail === '') return { address, verified };
    const pending = readEmailAddress(pendingEmail);
    if (verified && pending !== address) return { address, verified, pending };
    throw new ApiError(
      'invalid-argument',
      'pendingEmail is only allowed beside another address that is verified',
    );
  });

/** Body of `phone` PUT: what GET answers. */
export const phoneBody = z
  .strictObject({ phone: z.string().optional(), isPhoneVerified: z.boolean().default(false) })
  .meta({ required: ['phone'], examples: [{ phone: '+41791234567' }] })
  .transform(({ phone, isPhoneVerified }) => ({
    number: readPhoneNumber(phone),
    verified: isPhoneVerified,
  }));

const text = z.string().min(1);

type ShownTexts<Given> = {
  readonly [Field in keyof Given]: z.ZodOptional<
    Given[Field] extends TextRule ? z.ZodString : z.ZodObject<ShownTexts<Given[Field]>>
  >;
};

/** What is shown of the further fields. */
function shownTexts<Given extends Rules>(rules: Given): ShownTexts<Given> {
  const fields = Object.entries(rules).map(([field, rule]) => {
    const schema = isTextRule(rule) ? text : z.object(shownTexts(rule));
    return [field, schema.optional()];
  });
  return Object.fromEntries(fields) as ShownTexts<Given>;
}

const { middleName, ...furtherTexts } = shownTexts(furtherRules);

/** Who registered here was not asked for it. */
const nameIfAny = answerFrom(text.optional(), (given: string) => given || undefined);

/** A profile in the names that it is written in, too. Zero values are left out (protocol §0.1). */
const profile = z.object({
  firstName: nameIfAny,
  lastName: nameIfAny,
  displayName: text,
  middleName,
  nickName: text.optional(),
  preferredLanguage: text.optional(),
  gender: answerFrom(z.enum(GENDERS), (gender: Gender) => GENDER_NAMES[gender]).optional(),
  ...furtherTexts,
});

const email = answerFrom(
  z.object({
    email: z.string(),
    isEmailVerified: z.boolean().optional(),
    pendingEmail: z
      .string()
      .optional()
      .meta({ description: 'Takes the place of the verified address once its code came back.' }),
  }),
  ({ address, verified, pending }: HumanUser['email']) => ({
    email: address,
    isEmailVerified: verified || undefined,
    pendingEmail: pending,
  }),
);

const phone = answerFrom(
  z.object({ phone: text, isPhoneVerified: z.boolean().optional() }),
  ({ number, verified }: NonNullable<HumanUser['phone']>) => ({
    phone: number,
    isPhoneVerified: verified || undefined,
  }),
);

/** A human as users are read and exported: in the names that a bulk import takes. */
export const humanAnswer = z.object({ profile, email, phone: phone.optional() });

/** Each by itself. */
export const profileAnswer = z.object({ details: detailsOfRecord, profile });
export const emailAnswer = z.object({ details: detailsOfRecord, email });
export const phoneAnswer = z.object({ details: detailsOfRecord, phone });
