import { z } from 'zod';
import type { ImportedFactors } from '../../factors/factors.store.js';
import type { EncodedPassword } from '../../passwords/passwords.store.js';
import { inspectHash } from '../../passwords/schemes/password-schemes.js';
import { CODE_FACTOR_KINDS } from '../../policies/factor-policy.js';
import { ApiError } from '../../shared/errors.js';
import { canonicalName, LONGEST_CANONICAL_BYTES } from '../../users/names/canonical-name.js';
import type { HumanProfile } from '../../users/user.js';
import { readEmailAddress } from './email-address.js';
import {
  importedProfileSchema,
  LONGEST_NAME,
  OF_A_CALL,
  readProfile,
  requiredName,
} from './human-profile.js';
import { readCodeFactors, readRecoveryCodes, readTotpSecret } from './imported-factors.js';
import { importedIdentitiesSchema, readIdentities, type ImportedIdentity } from './imported-identities.js';
import { readPhoneNumber } from './phone-number.js';
import { fieldReader, shapeOf, type FieldsOf } from './read-fields.js';
import { brokenLength, brokenRule, FieldError, inField } from './record-errors.js';

/**
 * The records of imports turn what others know about their users into ours: this file reads one record of a human
 * (protocol §1.1, architecture §6), `plan-human.ts` decides what follows from it, and neither does any I/O, so
 * that a single call and a chunk of a bulk file share them (`import-record.ts` reads what only a file has). Limits hold before anything expensive runs.
 */
export interface HumanRecord {
  /** 1–200 characters, trimmed, as written; unique in its canonical form. */
  readonly userName: string;
  readonly profile: HumanProfile;
  /** `pending`, of a bulk file: takes the place of the verified address once its code came back. */
  readonly email: { readonly address: string; readonly verified: boolean; readonly pending?: string };
  /** `number` is E.164. */
  readonly phone?: { readonly number: string; readonly verified: boolean };
  readonly password?: RecordPassword;
  /** Elsewhere, each a way in by itself; missing for none. */
  readonly identities?: readonly ImportedIdentity[];
  /** Of a single call; a bulk record has them beside the human. */
  readonly factors?: ImportedFactors;
  /** Of a single call, whose answer has the link. */
  readonly asksForPasskeyLink?: true;
}

/** A plain password is as received and still to be held against the policy; a hash is inspected already. */
export type RecordPassword =
  | { readonly kind: 'plain'; readonly plain: string; readonly changeRequired: boolean }
  | ({ readonly kind: 'hash'; readonly changeRequired?: boolean } & EncodedPassword);

/** Of a field that protocol §1.1 has and we do not. */
export const unsupported = (type: z.ZodType) =>
  type.optional().meta({ description: 'Not supported: must be left out or empty.' });

/** A body of `_import`, no more (protocol §1.1). Its fields are read by the shape of it; the readers here have the rules. */
export const humanRecordSchema = z.strictObject({
  userName: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'Unique in the organization, without regard to case.' }),
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
  requestPasswordlessRegistration: z.boolean().optional().meta({
    description: 'The answer has a one-time link by which whoever holds it adds a passkey to the account.',
  }),
  otpCode: z.string().optional().meta({
    description:
      'TOTP secret: base32, or an `otpauth://totp` address. Its code is asked for from the first sign-in on.',
  }),
  idps: importedIdentitiesSchema.optional().meta({
    description: "Who the user is at identity providers. An identity that is somebody else's is refused.",
  }),
  recoveryCodes: z
    .array(
      z.union([z.strictObject({ raw: z.string().max(200) }), z.strictObject({ hash: z.string().max(200) })]),
    )
    .max(10)
    .optional()
    .meta({
      description: 'Each stands in for the second factor once: in clear, or as a hash of a known scheme.',
    }),
  codeFactors: z.array(z.enum(CODE_FACTOR_KINDS)).optional().meta({
    description: 'Codes are sent there as a second factor, while the address or number is verified.',
  }),
});

export const importFields = shapeOf(humanRecordSchema);

type ImportFields = FieldsOf<typeof importFields>;

const readImportFields = fieldReader(importFields);

/** Reads the body of `_import`; throws ApiError `invalid-argument`. */
export function readHumanRecord(value: unknown): HumanRecord {
  const fields = readImportFields(value);
  const human = humanOf(fields, OF_A_CALL);
  const totpSecret = readTotpSecret('otpCode', fields.otpCode);
  const factors = factorsOf(fields, totpSecret);
  return {
    ...human,
    ...(hasFactors(factors) && { factors }),
    ...(fields.requestPasswordlessRegistration === true && { asksForPasskeyLink: true }),
  };
}

/** What fields say that are of the right types; throws FieldError. A bulk file has more of them, in its profile as well. */
export function humanOf(fields: ImportFields, place?: typeof OF_A_CALL): HumanRecord {
  const userName = readUserName(fields.userName);
  if (fields.profile === undefined) throw brokenRule('profile', 'value is required');
  const profile = readProfile(fields.profile, place);
  if (fields.email === undefined) throw brokenRule('email', 'value is required');
  const email = {
    address: inField('email.email', () => readEmailAddress(fields.email?.email)),
    verified: fields.email.isEmailVerified ?? false,
  };
  const phone = fields.phone && {
    number: inField('phone.phone', () => readPhoneNumber(fields.phone?.phone)),
    verified: fields.phone.isPhoneVerified ?? false,
  };
  const password = readPassword(fields);
  const identities = readIdentities(fields.idps);
  return {
    userName,
    profile,
    email,
    ...(phone && { phone }),
    ...(password && { password }),
    ...(identities.length > 0 && { identities }),
  };
}

/** Second factors of a record, which has its TOTP secret under one of two names. @throws FieldError */
export function factorsOf(fields: ImportFields, totpSecret: string | undefined): ImportedFactors {
  return {
    ...(totpSecret !== undefined && { totpSecret }),
    recoveryCodes: readRecoveryCodes(fields.recoveryCodes),
    codeFactors: readCodeFactors(fields.codeFactors, fields.phone !== undefined),
  };
}

function hasFactors({ totpSecret, recoveryCodes, codeFactors }: ImportedFactors): boolean {
  return totpSecret !== undefined || recoveryCodes.length > 0 || codeFactors.length > 0;
}

/** Reads the body of `users/human`: the same without a hash and without factors, which only an import brings along. */
export function readNewHuman(value: unknown): HumanRecord {
  for (const name of ['hashedPassword', 'hashed_password']) {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
      throw new ApiError('invalid-argument', `unknown field "${name}"`);
    }
  }
  const { factors, asksForPasskeyLink, ...human } = readHumanRecord(value);
  if (asksForPasskeyLink === true) throw notSupported('requestPasswordlessRegistration');
  if (factors !== undefined) {
    if (factors.totpSecret !== undefined) throw notSupported('otpCode');
    throw notSupported(factors.recoveryCodes.length > 0 ? 'recoveryCodes' : 'codeFactors');
  }
  return human;
}

/** A link is answered to whoever asks; a file has no answer, and whoever waited for one would wait for nothing. */
export function refusePasskeyLink({ requestPasswordlessRegistration }: ImportFields): void {
  if (requestPasswordlessRegistration === true) throw notSupported('requestPasswordlessRegistration');
}

function notSupported(name: string): FieldError {
  return new FieldError(name, `${name} is not supported`);
}

export function readUserName(given: string | undefined): string {
  const userName = requiredName('userName', given).trim();
  const canonical = canonicalName(userName);
  if (canonical === '') throw brokenLength('userName', LONGEST_NAME);
  if (Buffer.byteLength(canonical) > LONGEST_CANONICAL_BYTES) {
    throw new FieldError('userName', 'userName is too long when its compatibility forms are written out');
  }
  return userName;
}

/**
 * A hash wins over a plain password, which is then not looked at. `hashedPassword` without a value is refused:
 * a user who was to keep a password would silently get none. An empty plain password is one not given.
 */
function readPassword(fields: ImportFields): RecordPassword | undefined {
  if (fields.hashedPassword !== undefined) {
    const hash = fields.hashedPassword.value ?? '';
    const { scheme, weak } = inField('hashedPassword.value', () => inspectHash(hash));
    return { kind: 'hash', hash, scheme, weak };
  }
  if (fields.password === undefined || fields.password === '') return undefined;
  return { kind: 'plain', plain: fields.password, changeRequired: fields.passwordChangeRequired ?? false };
}
