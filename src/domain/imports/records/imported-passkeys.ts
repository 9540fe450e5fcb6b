import { isCoseKey } from '../../passkeys/cose-key.js';
import { LONGEST_PASSKEY_NAME, type VerifiedCredential } from '../../passkeys/passkey.js';
import { TRANSPORTS } from '../../passkeys/webauthn.js';
import { MOST_OWNED } from '../../shared/most-owned.js';
import { isLongerThan, isPlainText } from '../../users/names/text-rules.js';
import { fieldReader, type ObjectShape } from './read-fields.js';
import { readPast } from './read-past.js';
import { FieldError, within } from './record-errors.js';

/** A passkey of a bulk file. Only exports of this service contain them: no other product exports their data. */
export interface ImportedPasskey extends VerifiedCredential {
  /** The relying party that it was made for. It works for no other (WebAuthn §5.1.4.1). */
  readonly rpId: string;
  readonly userHandle: Buffer;
  readonly name: string;
  readonly createdAt: Date | undefined;
  readonly lastUsedAt: Date | undefined;
  readonly counterWentBackAt: Date | undefined;
}

const passkeyFields = {
  rpId: 'text',
  credentialId: 'text',
  publicKey: 'text',
  userHandle: 'text',
  signCount: 'any',
  transports: 'any',
  name: 'text',
  passwordless: 'flag',
  backupEligible: 'flag',
  backedUp: 'flag',
  createdAt: 'text',
  lastUsedAt: 'text',
  counterWentBackAt: 'text',
} as const satisfies ObjectShape;

const readFields = fieldReader(passkeyFields);

/** WebAuthn §5.1 and §5.4.3: bytes that a credential id and a user handle may have. */
const LONGEST_ID = 1023;
const LONGEST_HANDLE = 64;
/** Of RSA with 4096 bits there is room enough. */
const LONGEST_KEY = 1024;
/** An unsigned number of four bytes (WebAuthn §6.1). */
const MOST_SIGNATURES = 2 ** 32 - 1;
const HOST = /^[a-z0-9.-]{1,253}$/;
const BASE64URL = /^[\w-]+$/;

/** @throws FieldError, also for a credential that is there twice */
export function readPasskeys(given: unknown, nowMs: number): readonly ImportedPasskey[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new FieldError('passkeys', 'passkeys must be a list');
  const { most } = MOST_OWNED.passkeys;
  if (given.length > most) throw new FieldError('passkeys', `passkeys must have at most ${most} entries`);
  const seen = new Set<string>();
  return given.map((one: unknown, index) => {
    const place = `passkeys[${index}]`;
    const passkey = within(place, () => readPasskey(one, nowMs));
    const key = passkeyKey(passkey);
    if (seen.has(key)) throw new FieldError(`${place}.credentialId`, 'the record has the passkey twice');
    seen.add(key);
    return passkey;
  });
}

/** What a credential goes by where imports look for it. */
export function passkeyKey({ credentialId }: Pick<ImportedPasskey, 'credentialId'>): string {
  return credentialId.toString('hex');
}

function readPasskey(given: unknown, nowMs: number): ImportedPasskey {
  const fields = readFields(given);
  const rpId = fields.rpId ?? '';
  if (!HOST.test(rpId)) throw new FieldError('rpId', 'rpId must be the host that the passkey was made for');
  const publicKey = readBytes('publicKey', fields.publicKey, LONGEST_KEY);
  if (!isCoseKey(publicKey)) {
    throw new FieldError('publicKey', 'publicKey must be a COSE_Key for ES256, EdDSA or RS256');
  }
  const backupEligible = fields.backupEligible ?? false;
  const backedUp = fields.backedUp ?? false;
  if (backedUp && !backupEligible) {
    throw new FieldError('backedUp', 'backedUp must not be without backupEligible');
  }
  return {
    rpId,
    credentialId: readBytes('credentialId', fields.credentialId, LONGEST_ID),
    publicKey,
    userHandle: readBytes('userHandle', fields.userHandle, LONGEST_HANDLE),
    signCount: readCount(fields.signCount),
    transports: readTransports(fields.transports),
    name: readName(fields.name),
    passwordless: fields.passwordless ?? false,
    backupEligible,
    backedUp,
    createdAt: readPast('createdAt', fields.createdAt, nowMs),
    lastUsedAt: readPast('lastUsedAt', fields.lastUsedAt, nowMs),
    counterWentBackAt: readPast('counterWentBackAt', fields.counterWentBackAt, nowMs),
  };
}

function readBytes(path: string, given: string | undefined, longest: number): Buffer {
  const bytes = Buffer.from(given ?? '', 'base64url');
  // a text with a rest that stands for no whole byte would be another text the next time
  const isWhole = given !== undefined && BASE64URL.test(given) && bytes.toString('base64url') === given;
  if (isWhole && bytes.length <= longest) return bytes;
  throw new FieldError(path, `${path} must be base64url of 1 to ${longest} bytes`);
}

function readCount(given: unknown): number {
  if (given === undefined) return 0;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MOST_SIGNATURES) {
    return given;
  }
  throw new FieldError('signCount', `signCount must be a whole number from 0 to ${MOST_SIGNATURES}`);
}

/** Those that we know, as when a passkey is added: browsers find new ones now and then. */
function readTransports(given: unknown): readonly string[] {
  if (given === undefined) return [];
  const isList = Array.isArray(given) && given.length <= 20 && given.every((one) => typeof one === 'string');
  if (!isList) throw new FieldError('transports', 'transports must be a list of texts');
  return TRANSPORTS.filter((one) => given.includes(one));
}

function readName(given: string | undefined): string {
  const name = given?.trim() ?? '';
  if (name !== '' && !isLongerThan(LONGEST_PASSKEY_NAME, name) && isPlainText(name)) return name;
  throw new FieldError('name', `name must have 1 to ${LONGEST_PASSKEY_NAME} characters without controls`);
}
