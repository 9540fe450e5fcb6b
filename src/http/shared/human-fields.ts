import { z } from 'zod';
import type { EditableProfile } from '../../domain/accounts/accounts.store.js';
import { readEmailAddress } from '../../domain/import/email-address.js';
import { readPhoneNumber } from '../../domain/import/phone-number.js';
import { readPreferredLanguage } from '../../domain/import/preferred-language.js';
import { isLongerThan } from '../../domain/users/text-rules.js';
import type { Gender } from '../../domain/users/user.js';
import { bodyReader, flag, refuseFaults } from './api-fields.js';

const LONGEST_NAME = 200;
const GENDERS: readonly (readonly [name: string, gender: Gender | undefined])[] = [
  ['GENDER_UNSPECIFIED', undefined],
  ['GENDER_FEMALE', 'female'],
  ['GENDER_MALE', 'male'],
  ['GENDER_DIVERSE', 'diverse'],
];

function optionalName() {
  return z
    .string({ error: 'must be a string' })
    .trim()
    .refine((name) => !isLongerThan(LONGEST_NAME, name), `value length must be at most ${LONGEST_NAME} runes`)
    .superRefine(refuseFaults)
    .transform((name) => (name === '' ? undefined : name))
    .optional();
}

function requiredName() {
  return optionalName().transform((name, context) => {
    if (name !== undefined) return name;
    context.addIssue({ code: 'custom', message: 'is required' });
    return z.NEVER;
  });
}

const gender = z
  .unknown()
  .optional()
  .transform((given, context): Gender | undefined => {
    if (given === undefined) return undefined;
    const found = typeof given === 'number' ? GENDERS[given] : GENDERS.find(([name]) => name === given);
    if (found !== undefined) return found[1];
    context.addIssue({
      code: 'custom',
      message: `must be one of ${GENDERS.map(([name]) => name).join(', ')}`,
    });
    return z.NEVER;
  });

function words() {
  return z.string({ error: 'must be a string' }).optional();
}

/** Body of `profile` PUT (contract §1.1): what is left out is empty afterwards. */
export const readProfileFields = bodyReader({
  firstName: requiredName(),
  lastName: requiredName(),
  nickName: optionalName(),
  displayName: optionalName(),
  preferredLanguage: words(),
  gender,
});

/** @throws ApiError invalid-argument */
export function readProfile(body: unknown): EditableProfile {
  const { firstName, lastName, displayName, preferredLanguage, ...rest } = readProfileFields(body);
  return {
    ...rest,
    firstName,
    lastName,
    displayName: displayName ?? `${firstName} ${lastName}`,
    preferredLanguage: readPreferredLanguage(preferredLanguage),
  };
}

/** Body of `email` PUT by a manager, who may vouch for the address. */
export const readEmailFields = bodyReader({ email: words(), isEmailVerified: flag() });
/** By the user, who may not. */
export const readOwnEmailFields = bodyReader({ email: words() });

export const readPhoneFields = bodyReader({ phone: words(), isPhoneVerified: flag() });
export const readOwnPhoneFields = bodyReader({ phone: words() });

/** @throws ApiError invalid-argument */
export function readEmail({
  email,
  isEmailVerified = false,
}: {
  email?: string | undefined;
  isEmailVerified?: boolean;
}) {
  return { address: readEmailAddress(email), verified: isEmailVerified };
}

/** @throws ApiError invalid-argument */
export function readPhone({
  phone,
  isPhoneVerified = false,
}: {
  phone?: string | undefined;
  isPhoneVerified?: boolean;
}) {
  return { number: readPhoneNumber(phone), verified: isPhoneVerified };
}
