import type { RecordRecoveryCode } from '../../domain/factors/recovery-codes/recovery-code-hash.js';
import {
  GENDER_NAMES,
  importedProfileSchema,
  profileFields,
} from '../../domain/imports/records/human-profile.js';
import type { Gender, HumanProfile } from '../../domain/users/user.js';

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
  recoveryCodes?: readonly RecordRecoveryCode[];
  codeFactors?: readonly string[];
  idps?: readonly ConvertedIdentity[];
  metadata?: Record<string, string>;
  userName: string;
  profile: ConvertedProfile;
  email: { email: string; isEmailVerified?: boolean };
  phone?: { phone: string; isPhoneVerified?: boolean };
  password?: string;
  passwordChangeRequired?: boolean;
  hashedPassword?: { value: string };
}

/** Who the user is at a provider that is here already. */
export interface ConvertedIdentity {
  readonly configId: string;
  readonly externalUserId: string;
  readonly displayName?: string;
}

type ProfileTexts = Omit<HumanProfile, 'gender' | 'address'>;

/** In the fields and the words of the import. The tools that people leave know of no address in parts. */
export type ConvertedProfile = { -readonly [Field in keyof ProfileTexts]: ProfileTexts[Field] } & {
  gender?: (typeof GENDER_NAMES)[Gender];
};

export const PROFILE_FIELDS = Object.entries(profileFields)
  .filter(([, kind]) => typeof kind === 'string')
  .map(([field]) => field);

/** What the API's import record knows of a profile; the rest travels as NDJSON only. */
export const RECORD_PROFILE_FIELDS = Object.keys(importedProfileSchema.shape);

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
