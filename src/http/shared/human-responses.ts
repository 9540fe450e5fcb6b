import { GENDER_NAMES } from '../../domain/imports/records/human-profile.js';
import type { SessionRecord } from '../../domain/sessions/session.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { HumanUser, User } from '../../domain/users/user.js';
import { readDetails, type DetailsResponse } from './details-response.js';

export interface ProfileResponse {
  readonly details: DetailsResponse;
  readonly profile: ProfileFields;
}

/** A profile in the names that it is written in, too. Zero values are left out (protocol §0.1). */
type ProfileFields = Omit<HumanUser['profile'], 'gender'> & { readonly gender?: string };

export interface EmailFields {
  readonly email: string;
  readonly isEmailVerified?: true;
  /** Takes the place of `email` once its code came back. */
  readonly pendingEmail?: string;
}

interface PhoneFields {
  readonly phone: string;
  readonly isPhoneVerified?: true;
}

export interface EmailResponse {
  readonly details: DetailsResponse;
  readonly email: EmailFields;
}

export interface PhoneResponse {
  readonly details: DetailsResponse;
  readonly phone: PhoneFields;
}

interface HumanFields {
  readonly profile: ProfileFields;
  readonly email: EmailFields;
  readonly phone?: PhoneFields;
}

/** @throws ApiError not-found for a service user, who has none */
function humanOf(user: User, what: string): HumanUser {
  if (user.type === 'human') return user;
  throw new ApiError('not-found', `${what} not found`, what === 'Phone' ? 'COMMAND-2b7Hf' : 'QUERY-3n8fs');
}

export function profileResponse(user: User): ProfileResponse {
  const { profile } = humanOf(user, 'Profile');
  return { details: readDetails(user.details), profile: profileFields(profile) };
}

/** A human as users are read and exported: in the names that a bulk import takes. */
export function humanFields({ profile, email, phone }: HumanUser): HumanFields {
  return {
    profile: profileFields(profile),
    email: emailFields(email),
    ...(phone && { phone: phoneFields(phone) }),
  };
}

function profileFields({ gender, ...names }: HumanUser['profile']): ProfileFields {
  return { ...names, ...(gender !== undefined && { gender: GENDER_NAMES[gender] }) };
}

function emailFields({ address, verified, pending }: HumanUser['email']): EmailFields {
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
    phone: phoneFields(phone),
  };
}

function phoneFields({ number, verified }: NonNullable<HumanUser['phone']>): PhoneFields {
  return { phone: number, ...(verified && { isPhoneVerified: true }) };
}

/** A session as its user recognises it: nothing that could be used in its place. */
export interface SessionResponse {
  readonly id: string;
  /** Browser and system, where they were recognised. */
  readonly browser?: string;
  readonly creationDate: string;
  /** When the user last authenticated. */
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
