import { canonicalName } from '../users/canonical-name.js';
import type { HumanProfile } from '../users/user.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { isLongerThan, requirePlainText } from '../users/text-rules.js';
import {
  type HumanRecord,
  humanOf,
  type ImportFields,
  importFields,
  optionalName,
  readUserName,
} from './human-record.js';
import { type FieldsOf, fieldReader, type ObjectShape } from './read-fields.js';
import { at } from './record-errors.js';

/**
 * One record of a bulk file: what `_import` knows, and what else a user brings along from elsewhere. Flat, the same
 * for every format; an unknown field fails the record by its name, and nothing is dropped in silence.
 */
export interface RecordBasis {
  /** Kept as the user's id; `[!-~]{1,200}`. */
  readonly userId?: UserId | undefined;
  /** Of the user; the job's own where the record names none. */
  readonly orgId?: OrgId | undefined;
  readonly state?: 'active' | 'initial' | 'inactive' | 'locked' | undefined;
  readonly createdAt?: Date | undefined;
  readonly metadata: readonly { readonly key: string; readonly value: Buffer }[];
}

export interface ImportedHuman extends RecordBasis {
  readonly kind: 'human';
  readonly human: HumanRecord;
  /** Base32 of the secret of an authenticator app. */
  readonly totpSecret?: string | undefined;
}

export interface ImportedMachine extends RecordBasis {
  readonly kind: 'machine';
  readonly userName: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly accessTokenType: 'opaque' | 'jwt';
}

export type ImportRecord = ImportedHuman | ImportedMachine;

const recordFields = {
  ...importFields,
  profile: {
    ...importFields.profile,
    middleName: 'text',
    profile: 'text',
    picture: 'text',
    website: 'text',
    birthdate: 'text',
    zoneinfo: 'text',
    address: {
      formatted: 'text',
      streetAddress: 'text',
      locality: 'text',
      region: 'text',
      postalCode: 'text',
      country: 'text',
    },
  },
  userId: 'text',
  orgId: 'text',
  kind: 'text',
  state: 'text',
  createdAt: 'text',
  totpSecret: 'text',
  metadata: 'any',
  name: 'text',
  description: 'text',
  accessTokenType: 'text',
} as const satisfies ObjectShape;

type RecordFields = FieldsOf<typeof recordFields>;
type ProfileFields = NonNullable<RecordFields['profile']>;

const readRecordFields = fieldReader(recordFields);

const HUMAN_ONLY = [
  'profile',
  'email',
  'phone',
  'password',
  'hashedPassword',
  'passwordChangeRequired',
  'totpSecret',
] as const;
const MACHINE_ONLY = ['name', 'description', 'accessTokenType'] as const;

/** Of the field `createdAt`, by the clock of whoever reads. */
export function readImportRecord(value: unknown, nowMs: number): ImportRecord {
  const fields = readRecordFields(value);
  const { kind = 'human' } = fields;
  const basis = readBasis(fields, nowMs);
  if (kind === 'machine') return { ...basis, ...readMachine(fields) };
  if (kind !== 'human') throw invalid('kind', 'must be human or machine');
  refuse(fields, MACHINE_ONLY, 'a human');
  const human = humanOf(fields as ImportFields);
  const more = fields.profile && readMoreProfile(fields.profile);
  const totpSecret = at('totpSecret', readTotpSecret, fields.totpSecret);
  const profile = more === undefined ? human.profile : { ...human.profile, ...more };
  return { ...basis, kind: 'human', human: { ...human, profile }, ...(totpSecret && { totpSecret }) };
}

const ID = /^[!-~]{1,200}$/;
const STATES = ['active', 'initial', 'inactive', 'locked'] as const;
/** RFC 3339, as JSON carries a time. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
/** Clocks differ a little, and the one that counts is not this one. */
const CLOCK_SKEW_MS = 60_000;

function readBasis(fields: RecordFields, nowMs: number): RecordBasis {
  const { userId, orgId, state, createdAt } = fields;
  if (userId !== undefined && !ID.test(userId)) {
    throw invalid('userId', 'must be 1 to 200 printable ASCII characters without spaces');
  }
  if (orgId !== undefined && !ID.test(orgId)) throw invalid('orgId', 'is not an id');
  if (state !== undefined && !(STATES as readonly string[]).includes(state)) {
    throw invalid('state', `must be one of ${STATES.join(', ')}`);
  }
  return {
    userId: userId as UserId | undefined,
    orgId: orgId as OrgId | undefined,
    state: state as RecordBasis['state'],
    createdAt: createdAt === undefined ? undefined : readCreatedAt(createdAt, nowMs),
    metadata: fields.metadata === undefined ? [] : readMetadata(fields.metadata),
  };
}

function readCreatedAt(text: string, nowMs: number): Date {
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw invalid('createdAt', 'must be a time as in 2024-05-01T12:00:00Z');
  if (time > nowMs + CLOCK_SKEW_MS) throw invalid('createdAt', 'must not be in the future');
  if (time < 0) throw invalid('createdAt', 'must not be before 1970');
  return new Date(Math.min(time, nowMs));
}

const MOST_METADATA = 100;
const LONGEST_KEY = 200;
const LARGEST_VALUE_BYTES = 500_000;

function readMetadata(given: unknown): RecordBasis['metadata'] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('metadata', 'must be an object of texts');
  }
  const entries = Object.entries(given);
  if (entries.length > MOST_METADATA)
    throw invalid('metadata', `must not have more than ${MOST_METADATA} keys`);
  return entries.map(([key, value]) => {
    if (key === '' || isLongerThan(LONGEST_KEY, key)) {
      throw invalid('metadata', `keys must have 1 to ${LONGEST_KEY} characters`);
    }
    at('metadata', (text) => requirePlainText('metadata', text), key);
    if (typeof value !== 'string') throw invalid('metadata', 'values must be strings');
    const bytes = Buffer.from(value);
    if (bytes.length === 0 || bytes.length > LARGEST_VALUE_BYTES) {
      throw invalid('metadata', `values must have 1 to ${LARGEST_VALUE_BYTES} bytes`);
    }
    return { key, value: bytes };
  });
}

const BASE32 = /^[A-Z2-7]{16,256}=*$/;

/** RFC 4648 §6; apps show it in groups and in either case. */
function readTotpSecret(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  const secret = given.replace(/[\s-]/g, '').toUpperCase();
  if (!BASE32.test(secret)) throw invalid('totpSecret', 'must be 16 to 256 characters of base32');
  return secret.replace(/=+$/, '');
}

const LONGEST_URL = 2_000;
const URL_FIELDS = { profile: 'profileUrl', picture: 'pictureUrl', website: 'websiteUrl' } as const;
const BIRTHDATE = /^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$/;
const ZONE = /^[A-Za-z0-9_+/-]{1,64}$/;
const ADDRESS_FIELDS = {
  formatted: 'formatted',
  streetAddress: 'street',
  locality: 'locality',
  region: 'region',
  postalCode: 'postalCode',
  country: 'country',
} as const;
const LONGEST_ADDRESS_PART = 1_000;

/** The claims of OpenID Connect Core §5.1 that `_import` has no fields for. */
function readMoreProfile(fields: ProfileFields): Partial<HumanProfile> | undefined {
  const { middleName, birthdate, zoneinfo, address } = fields;
  const more: Record<string, unknown> = {};
  const middle = optionalName('profile.middleName', middleName);
  if (middle !== undefined) more['middleName'] = middle;
  for (const [field, member] of Object.entries(URL_FIELDS)) {
    const url = fields[field as keyof typeof URL_FIELDS];
    if (url !== undefined && url !== '') more[member] = readUrl(`profile.${field}`, url);
  }
  if (birthdate !== undefined && birthdate !== '') {
    if (!BIRTHDATE.test(birthdate)) throw invalid('profile.birthdate', 'must be as in 1815-12-10 or 1815');
    more['birthdate'] = birthdate;
  }
  if (zoneinfo !== undefined && zoneinfo !== '') {
    if (!ZONE.test(zoneinfo)) throw invalid('profile.zoneinfo', 'must be a time zone as in Europe/Zurich');
    more['zoneinfo'] = zoneinfo;
  }
  if (address !== undefined) {
    const read = readAddress(address);
    if (read !== undefined) more['address'] = read;
  }
  return Object.keys(more).length === 0 ? undefined : more;
}

function readUrl(path: string, given: string): string {
  if (given.length > LONGEST_URL || !URL.canParse(given) || !/^https?:\/\//i.test(given)) {
    throw invalid(path, 'must be an http or https URL');
  }
  at(path, (text) => requirePlainText(path, text), given);
  return given;
}

function readAddress(fields: NonNullable<ProfileFields['address']>): Record<string, string> | undefined {
  const address: Record<string, string> = {};
  for (const [field, member] of Object.entries(ADDRESS_FIELDS)) {
    const part = fields[field as keyof typeof ADDRESS_FIELDS];
    if (part === undefined || part === '') continue;
    const path = `profile.address.${field}`;
    if (isLongerThan(LONGEST_ADDRESS_PART, part)) {
      throw invalid(path, `must have at most ${LONGEST_ADDRESS_PART} characters`);
    }
    // the formatted address has lines (OpenID Connect Core §5.1.1)
    at(path, (text) => requirePlainText(path, text.replaceAll(/\r?\n/g, ' ')), part);
    address[member] = part;
  }
  return Object.keys(address).length === 0 ? undefined : address;
}

const LIKE_AN_ID = /^[0-9]+$/;
const LONGEST_DESCRIPTION = 500;

function readMachine(fields: RecordFields): Omit<ImportedMachine, keyof RecordBasis> {
  refuse(fields, HUMAN_ONLY, 'a machine');
  const userName = at('userName', readUserName, fields.userName);
  // it is the `client_id` of the user's tokens (create-service-user.ts)
  if (LIKE_AN_ID.test(canonicalName(userName))) throw invalid('userName', 'must not consist of digits alone');
  const name = optionalName('name', fields.name);
  if (name === undefined) throw invalid('name', 'is required');
  const { description, accessTokenType = 'opaque' } = fields;
  if (description !== undefined) {
    if (isLongerThan(LONGEST_DESCRIPTION, description)) {
      throw invalid('description', `must have at most ${LONGEST_DESCRIPTION} characters`);
    }
    at('description', (text) => requirePlainText('description', text), description);
  }
  if (accessTokenType !== 'opaque' && accessTokenType !== 'jwt') {
    throw invalid('accessTokenType', 'must be opaque or jwt');
  }
  return { kind: 'machine', userName, name, description: description || undefined, accessTokenType };
}

function refuse(fields: RecordFields, names: readonly (keyof RecordFields)[], whose: string): void {
  for (const name of names) {
    if (fields[name] !== undefined) throw invalid(name, `is no field of ${whose}`);
  }
}

function invalid(path: string, rule: string): ApiError {
  const error = new ApiError('invalid-argument', `${path} ${rule}`);
  error.path = path;
  return error;
}
