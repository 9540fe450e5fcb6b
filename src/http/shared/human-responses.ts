import { ApiError } from '../../domain/shared/errors.js';
import type { SessionRecord } from '../../domain/sessions/session.js';
import type { Gender, HumanUser, User } from '../../domain/users/user.js';
import { type DetailsResponse, readDetails } from './details-response.js';

const GENDERS: Readonly<Record<Gender, string>> = {
  female: 'GENDER_FEMALE',
  male: 'GENDER_MALE',
  diverse: 'GENDER_DIVERSE',
};

export interface ProfileResponse {
  readonly details: DetailsResponse;
  readonly profile: ProfileFields;
}

interface ProfileFields {
  readonly firstName: string;
  readonly lastName: string;
  readonly displayName: string;
  readonly nickName?: string;
  readonly preferredLanguage?: string;
  readonly gender?: string;
}

export interface EmailFields {
  readonly email: string;
  readonly isEmailVerified?: true;
  /** Takes the place of `email` once its code came back. */
  readonly pendingEmail?: string;
}

export interface EmailResponse {
  readonly details: DetailsResponse;
  readonly email: EmailFields;
}

export interface PhoneResponse {
  readonly details: DetailsResponse;
  readonly phone: { readonly phone: string; readonly isPhoneVerified?: true };
}

/** @throws ApiError not-found for a service user, who has none */
function humanOf({ is }: User, what: string): HumanUser {
  if (is.kind === 'human') return is;
  throw new ApiError('not-found', `${what} not found`, what === 'Phone' ? 'COMMAND-2b7Hf' : 'QUERY-3n8fs');
}

export function profileResponse(user: User): ProfileResponse {
  const { firstName, lastName, displayName, nickName, preferredLanguage, gender } = humanOf(
    user,
    'Profile',
  ).profile;
  return {
    details: readDetails(user.details),
    profile: {
      firstName,
      lastName,
      displayName,
      ...(nickName !== undefined && { nickName }),
      ...(preferredLanguage !== undefined && { preferredLanguage }),
      ...(gender !== undefined && { gender: GENDERS[gender] }),
    },
  };
}

export function emailFields({ address, verified, pending }: HumanUser['email']): EmailFields {
  return {
    email: address,
    ...(verified && { isEmailVerified: true }),
    ...(pending !== undefined && { pendingEmail: pending }),
  };
}

export function emailResponse(user: User): EmailResponse {
  return { details: readDetails(user.details), email: emailFields(humanOf(user, 'Email').email) };
}

/** @throws ApiError not-found for a user without one */
export function phoneResponse(user: User): PhoneResponse {
  const { phone } = humanOf(user, 'Phone');
  if (phone === undefined) throw new ApiError('not-found', 'Phone not found', 'COMMAND-2b7Hf');
  return {
    details: readDetails(user.details),
    phone: { phone: phone.number, ...(phone.verified && { isPhoneVerified: true }) },
  };
}

/** A session as its user recognises it: nothing that could be used in its place. */
export interface SessionResponse {
  readonly id: string;
  /** Browser and system, where they were recognised. */
  readonly browser?: string;
  readonly creationDate: string;
  /** When the user last proved who they are. */
  readonly authenticationDate: string;
  readonly lastSeenDate: string;
}

export interface SessionsResponse {
  readonly result: readonly SessionResponse[];
}

export function sessionsResponse(sessions: readonly SessionRecord[]): SessionsResponse {
  return {
    result: sessions.map(({ id, device, createdAt, authenticatedAt, lastUsedAt }) => ({
      id,
      ...(device !== undefined && { browser: device }),
      creationDate: createdAt.toISOString(),
      authenticationDate: authenticatedAt.toISOString(),
      lastSeenDate: lastUsedAt.toISOString(),
    })),
  };
}
