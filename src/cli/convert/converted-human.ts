/**
 * A human as our import job takes one, a line of NDJSON: the import record of the API with what only a bulk import
 * carries beside it. Fields that a source does not have are absent.
 */
export interface ConvertedHuman {
  /** Id at the vendor; kept, so that what other systems remember about the user stays true. */
  userId?: string;
  orgId?: string;
  /** A user who was switched off there must not wake up here. */
  state?: 'active' | 'inactive' | 'locked';
  /** RFC 3339. */
  createdAt?: string;
  /** Base32 (RFC 4648 §6), of a TOTP with SHA-1, six digits and 30 seconds. */
  totpSecret?: string;
  metadata?: Record<string, string>;
  userName: string;
  profile: ConvertedProfile;
  email: { email: string; isEmailVerified?: boolean };
  phone?: { phone: string; isPhoneVerified?: boolean };
  password?: string;
  passwordChangeRequired?: boolean;
  hashedPassword?: { value: string };
}

export interface ConvertedProfile {
  firstName: string;
  lastName: string;
  nickName?: string;
  displayName?: string;
  preferredLanguage?: string;
  gender?: 'GENDER_FEMALE' | 'GENDER_MALE' | 'GENDER_DIVERSE';
  middleName?: string;
  /** URL of a page about the user. */
  profile?: string;
  picture?: string;
  website?: string;
  birthdate?: string;
  zoneinfo?: string;
}

/** What the API's import record knows of a profile; the rest travels as NDJSON only. */
export const RECORD_PROFILE_FIELDS = [
  'firstName',
  'lastName',
  'nickName',
  'displayName',
  'preferredLanguage',
  'gender',
] as const satisfies readonly (keyof ConvertedProfile)[];

/** A record that cannot become a user; the reason is for the report and holds no value of the record. */
export class Unconvertible extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'Unconvertible';
  }
}

/** A record that is no person, such as a service account: counted, reported and no fault. */
export class NotAPerson extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'NotAPerson';
  }
}

/** What a user had and does not bring along; counted by its text, which holds no value of the record. */
export type Note = (text: string) => void;
