import { z } from 'zod';
import { readEmailAddress } from '../../domain/imports/records/email-address.js';
import { readProfileReplacement } from '../../domain/imports/records/human-profile.js';
import { readPhoneNumber } from '../../domain/imports/records/phone-number.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ProfileReplacement } from '../../domain/users/profile-replacement.js';
import type { HumanUser } from '../../domain/users/user.js';
import { bodyReader, flag } from './api-fields.js';
import { profileSchema } from './human-schemas.js';

function words() {
  return z.string({ error: 'must be a string' }).optional();
}

/** What PUT does to a profile, for whoever reads the document. */
export const REPLACED_PROFILE =
  'Names, display name, language and gender are replaced as a whole: what is left out is removed. The other fields ' +
  'change only where they are named; `""` or `"address": {}` removes one.';

/** Body of `profile` PUT. */
export const readProfile = Object.assign(
  (body: unknown): ProfileReplacement => readProfileReplacement(body),
  { schema: profileSchema },
);

/** Body of `email` PUT: what GET answers. */
export const readEmailFields = bodyReader({ email: words(), isEmailVerified: flag(), pendingEmail: words() });

/** Body of `phone` PUT: what GET answers. */
export const readPhoneFields = bodyReader({ phone: words(), isPhoneVerified: flag() });

/** @throws ApiError invalid-argument */
export function readEmail(body: unknown): HumanUser['email'] {
  const { email, isEmailVerified: verified, pendingEmail } = readEmailFields(body);
  const address = readEmailAddress(email);
  if (pendingEmail === undefined || pendingEmail === '') return { address, verified };
  const pending = readEmailAddress(pendingEmail);
  if (verified && pending !== address) return { address, verified, pending };
  throw new ApiError('invalid-argument', 'pendingEmail must wait beside another address that is verified');
}

/** @throws ApiError invalid-argument */
export function readPhone(body: unknown): { readonly number: string; readonly verified: boolean } {
  const { phone, isPhoneVerified } = readPhoneFields(body);
  return { number: readPhoneNumber(phone), verified: isPhoneVerified };
}
