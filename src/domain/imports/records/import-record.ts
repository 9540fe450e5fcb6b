import type { ImportedFactors } from '../../factors/factors.store.js';
import { givenIdProblem } from '../../shared/given-id.js';
import { isId, type OrgId, type UserId } from '../../shared/ids.js';
import { isLongerThan, isPlainText } from '../../users/names/text-rules.js';
import type { UserState } from '../../users/user.js';
import { LONGEST_METADATA, MOST_METADATA } from '../../users/users.store.js';
import { readEmailAddress } from './email-address.js';
import { LONGEST_NAME, optionalText, profileFields, requiredName } from './human-profile.js';
import {
  factorsOf,
  humanOf,
  importFields,
  readUserName,
  refusePasskeyLink,
  type HumanRecord,
} from './human-record.js';
import { readTotpSecret } from './imported-factors.js';
import { readPasskeys, type ImportedPasskey } from './imported-passkeys.js';
import { fieldReader, type FieldsOf, type ObjectShape } from './read-fields.js';
import { readPast } from './read-past.js';
import { FieldError, inField } from './record-errors.js';

/**
 * One record of a bulk file: a human as `_import` takes one (human-record.ts), and what only a move from elsewhere
 * brings along, or a service user. Three forms are read: the flat record of NDJSON and CSV, and the elements of
 * `dataOrgs` under `humanUser` or `machineUser`, which the upload puts around them.
 */
export type ImportRecord = ImportedHuman | ImportedMachine;

interface ImportedUser {
  /** Kept as the id when it is given. */
  readonly userId?: UserId;
  readonly orgId?: OrgId;
  readonly state?: UserState;
  /** When the account was made elsewhere; not in the future. */
  readonly createdAt?: Date;
  readonly metadata: readonly { readonly key: string; readonly value: Buffer }[];
}

export interface ImportedHuman extends ImportedUser {
  readonly kind: 'human';
  readonly human: HumanRecord;
  readonly factors: ImportedFactors;
  /** Of this and any other relying party. */
  readonly passkeys: readonly ImportedPasskey[];
}

export interface ImportedMachine extends ImportedUser {
  readonly kind: 'machine';
  readonly userName: string;
  readonly name: string;
  readonly description?: string;
  readonly accessTokenType: 'opaque' | 'jwt';
  /** SHA-256 of the client secret that it has elsewhere, and keeps. */
  readonly secretHash?: Buffer;
}

const movedFields = {
  userId: 'text',
  orgId: 'text',
  state: 'any',
  kind: 'text',
  createdAt: 'text',
  metadata: 'any',
} as const satisfies ObjectShape;

const personFields = {
  ...importFields,
  totpSecret: 'text',
  passkeys: 'any',
  email: { ...importFields.email, pendingEmail: 'text' },
  profile: profileFields,
} as const satisfies ObjectShape;

const humanFields = { ...movedFields, ...personFields } as const satisfies ObjectShape;

const machineFields = {
  userName: 'text',
  name: 'text',
  description: 'text',
  accessTokenType: 'any',
  hashedClientSecret: { value: 'text' },
} as const satisfies ObjectShape;

const readFlatHuman = fieldReader(humanFields);
const readFlatMachine = fieldReader({ ...movedFields, ...machineFields });
const elementFields = { userId: 'text', state: 'any', createdAt: 'text' } as const satisfies ObjectShape;
const readHumanElement = fieldReader({ ...elementFields, user: personFields });
const readMachineElement = fieldReader({ ...elementFields, user: machineFields });
const readWrapped = fieldReader({ orgId: 'text', humanUser: 'any', machineUser: 'any' });

type FlatHuman = FieldsOf<typeof humanFields>;
type FlatMachine = FieldsOf<typeof movedFields & typeof machineFields>;

const MOST_ENTRIES = 100;

/** @throws FieldError, and ApiError `invalid-argument` for what is no object */
export function readImportRecord(value: unknown, nowMs: number): ImportRecord {
  if (isObject(value)) {
    if ('humanUser' in value || 'machineUser' in value) return readElement(value, nowMs);
    if (value['kind'] === 'machine') return importedMachine(readFlatMachine(value), nowMs);
  }
  const fields = readFlatHuman(value);
  if (fields.kind !== undefined && fields.kind !== 'human') {
    throw new FieldError('kind', 'kind must be one of human, machine');
  }
  return importedHuman(fields, nowMs);
}

/** The upload writes down the organization beside the element, where the file has it somewhere else. */
function readElement(value: Record<string, unknown>, nowMs: number): ImportRecord {
  const { orgId, humanUser, machineUser } = readWrapped(value);
  const named = orgId === undefined ? {} : { orgId };
  if (machineUser === undefined) {
    const { user, ...element } = readHumanElement(humanUser);
    return importedHuman({ ...user, ...element, ...named }, nowMs);
  }
  if (humanUser !== undefined) throw new FieldError('machineUser', 'a record is one user');
  const { user, ...element } = readMachineElement(machineUser);
  return importedMachine({ ...user, ...element, ...named }, nowMs);
}

function importedHuman(fields: FlatHuman, nowMs: number): ImportedHuman {
  refusePasskeyLink(fields);
  const moved = movedOf(fields, nowMs);
  const human = humanOf(fields);
  const totpSecret = fields.totpSecret
    ? readTotpSecret('totpSecret', fields.totpSecret)
    : readTotpSecret('otpCode', fields.otpCode);
  return {
    kind: 'human',
    ...moved,
    human: {
      ...human,
      email: { ...human.email, ...pendingEmail(fields, human) },
    },
    factors: factorsOf(fields, totpSecret),
    passkeys: readPasskeys(fields.passkeys, nowMs),
  };
}

function importedMachine(fields: FlatMachine, nowMs: number): ImportedMachine {
  const moved = movedOf(fields, nowMs);
  const userName = readUserName(fields.userName);
  const description = optionalText('description', fields.description);
  const secretHash = readSecretHash(fields);
  return {
    kind: 'machine',
    ...moved,
    userName,
    name: requiredName('name', fields.name).trim(),
    ...(description !== undefined && { description }),
    accessTokenType: readAccessTokenType(fields.accessTokenType),
    ...(secretHash && { secretHash }),
  };
}

function movedOf(fields: FieldsOf<typeof movedFields>, nowMs: number): ImportedUser {
  const userId = readId('userId', fields.userId) as UserId | undefined;
  const problem = userId === undefined ? undefined : givenIdProblem(userId);
  if (problem !== undefined) throw new FieldError('userId', `userId ${problem}`);
  const orgId = readId('orgId', fields.orgId) as OrgId | undefined;
  const state = readState(fields.state);
  const createdAt = readPast('createdAt', fields.createdAt, nowMs);
  return {
    ...(userId !== undefined && { userId }),
    ...(orgId !== undefined && { orgId }),
    ...(state !== undefined && { state }),
    ...(createdAt !== undefined && { createdAt }),
    metadata: readMetadata(fields.metadata),
  };
}

/** Ids are free text, so that whoever moves here keeps theirs (protocol §2.1). */
function readId(path: string, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (isId(given)) return given;
  throw new FieldError(path, `${path} must be 1 to 200 printable ASCII characters without blanks`);
}

const STATES: ReadonlyMap<unknown, UserState | undefined> = new Map<unknown, UserState | undefined>([
  ['', undefined],
  ['active', 'active'],
  ['inactive', 'inactive'],
  ['locked', 'locked'],
  ['initial', 'initial'],
  // as protojson has them, by name or number (protocol §2.1)
  ['USER_STATE_UNSPECIFIED', undefined],
  [0, undefined],
  ['USER_STATE_ACTIVE', 'active'],
  [1, 'active'],
  ['USER_STATE_INACTIVE', 'inactive'],
  [2, 'inactive'],
  ['USER_STATE_LOCKED', 'locked'],
  [4, 'locked'],
  ['USER_STATE_INITIAL', 'initial'],
  [6, 'initial'],
]);

/** Deleted and suspended users are refused: the one is none, and for the other we have no such state. */
function readState(given: unknown): UserState | undefined {
  if (given === undefined) return undefined;
  if (!STATES.has(given))
    throw new FieldError('state', 'state must be one of active, inactive, locked, initial');
  return STATES.get(given);
}

function readMetadata(given: unknown): ImportedUser['metadata'] {
  if (given === undefined || given === null) return [];
  if (!isObject(given)) throw new FieldError('metadata', 'metadata must be an object of texts');
  const entries = Object.entries(given);
  if (entries.length > MOST_ENTRIES) {
    throw new FieldError('metadata', `metadata must have at most ${MOST_ENTRIES} entries`);
  }
  const all = entries.map(([key, text]) => {
    if (key === '' || isLongerThan(LONGEST_NAME, key) || !isPlainText(key)) {
      throw new FieldError(
        'metadata',
        `metadata keys must be 1 to ${LONGEST_NAME} characters without controls`,
      );
    }
    const value = typeof text === 'string' ? Buffer.from(text) : undefined;
    if (value !== undefined && value.length > 0 && value.length <= LONGEST_METADATA.bytes)
      return { key, value };
    throw new FieldError(
      'metadata',
      `values of metadata must be text of 1 to ${LONGEST_METADATA.bytes} bytes`,
    );
  });
  const bytes = all.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + value.length, 0);
  if (bytes > MOST_METADATA.bytes) {
    throw new FieldError('metadata', `metadata must have at most ${MOST_METADATA.bytes} bytes`);
  }
  return all;
}

/** Waits for its code beside an address that counts. */
function pendingEmail({ email }: FlatHuman, human: HumanRecord): { readonly pending?: string } {
  const path = 'email.pendingEmail';
  if (email?.pendingEmail === undefined || email.pendingEmail === '') return {};
  const pending = inField(path, () => readEmailAddress(email.pendingEmail));
  if (human.email.verified && pending !== human.email.address) return { pending };
  throw new FieldError(path, `${path} is only allowed beside another address that is verified`);
}

const SECRET_HASH = /^sha256:([0-9a-f]{64})$/;

function readSecretHash({ hashedClientSecret }: FlatMachine): Buffer | undefined {
  if (hashedClientSecret === undefined) return undefined;
  const [, hash] = SECRET_HASH.exec(hashedClientSecret.value ?? '') ?? [];
  if (hash !== undefined) return Buffer.from(hash, 'hex');
  const path = 'hashedClientSecret.value';
  throw new FieldError(path, `${path} must be sha256: and 64 hexadecimal digits`);
}

const ACCESS_TOKEN_TYPES: ReadonlyMap<unknown, 'opaque' | 'jwt'> = new Map<unknown, 'opaque' | 'jwt'>([
  [undefined, 'opaque'],
  ['', 'opaque'],
  ['opaque', 'opaque'],
  ['jwt', 'jwt'],
  ['ACCESS_TOKEN_TYPE_BEARER', 'opaque'],
  [0, 'opaque'],
  ['ACCESS_TOKEN_TYPE_JWT', 'jwt'],
  [1, 'jwt'],
]);

function readAccessTokenType(given: unknown): 'opaque' | 'jwt' {
  const type = ACCESS_TOKEN_TYPES.get(given);
  if (type !== undefined) return type;
  const rule = 'must be one of ACCESS_TOKEN_TYPE_BEARER, ACCESS_TOKEN_TYPE_JWT';
  throw new FieldError('accessTokenType', `accessTokenType ${rule}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
