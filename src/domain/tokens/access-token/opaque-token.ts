import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Actor } from '../../authorizations/actor.js';
import type { Confirmation } from '../../authorizations/confirmation.js';
import { randomBytes } from '../../shared/random.js';
import type { TokenKey } from '../../signing-keys/key-ring.js';
import type { AccessTokenContent } from './access-token.js';

/**
 * Opaque access tokens: `at_` + base64url of version (1) | key id (4) | salt (16) | ciphertext | tag (16).
 * Each token has a key of its own, HMAC-SHA256(ring key, salt), so the GCM nonce can be constant and no number of
 * tokens wears a key out. Key id and salt are associated data: any change, truncation or extension fails to open.
 */
const PREFIX = 'at_';
const VERSION = 1;
const HEADER_BYTES = 21;
const TAG_BYTES = 16;
const NONCE = Buffer.alloc(12);
/** Room for the longest scope parameter and its audience; a longer one is refused before any work is spent on it. */
const MAX_LENGTH = 12_288;

export function isOpaqueToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

function tokenOwnKey(ringKey: Buffer, salt: Buffer): Buffer {
  return createHmac('sha256', ringKey).update(salt).digest();
}

export function sealOpaqueToken(ring: TokenKey, content: AccessTokenContent): string {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(VERSION, 0);
  header.writeUInt32BE(ring.id, 1);
  const salt = randomBytes(16);
  salt.copy(header, 5);
  const cipher = createCipheriv('aes-256-gcm', tokenOwnKey(ring.key, salt), NONCE);
  cipher.setAAD(header);
  const body = Buffer.concat([cipher.update(JSON.stringify(pack(content))), cipher.final()]);
  return PREFIX + Buffer.concat([header, body, cipher.getAuthTag()]).toString('base64url');
}

/** The id of the ring key a token names, or undefined when it is not one of our tokens. */
export function readOpaqueHeader(token: string): { keyId: number; bytes: Buffer } | undefined {
  if (!isOpaqueToken(token) || token.length > MAX_LENGTH) return undefined;
  const text = token.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64url');
  // base64url has several spellings of the same bytes; only the one we wrote is accepted
  if (bytes.toString('base64url') !== text) return undefined;
  if (bytes.length <= HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined;
  return { keyId: bytes.readUInt32BE(1), bytes };
}

export function openOpaqueToken(ring: TokenKey, bytes: Buffer): AccessTokenContent | undefined {
  const header = bytes.subarray(0, HEADER_BYTES);
  const decipher = createDecipheriv(
    'aes-256-gcm',
    tokenOwnKey(ring.key, bytes.subarray(5, HEADER_BYTES)),
    NONCE,
    {
      authTagLength: TAG_BYTES,
    },
  );
  decipher.setAAD(header);
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    const plain = decipher.update(bytes.subarray(HEADER_BYTES, bytes.length - TAG_BYTES));
    decipher.final();
    return unpack(JSON.parse(plain.toString('utf8')) as Packed);
  } catch {
    return undefined;
  }
}

type Packed = [
  jti: string,
  subject: string,
  clientId: string,
  sessionId: string | null,
  scopes: string,
  audience: string[],
  issuedAt: number,
  expiresAt: number,
  // of these two only what there is, so that most tokens are no longer than they were
  actor?: Actor | null,
  confirmation?: Confirmation,
];

function pack(content: AccessTokenContent): Packed {
  return [
    content.jti,
    content.subject,
    content.clientId,
    content.sessionId ?? null,
    content.scopes.join(' '),
    [...content.audience],
    content.issuedAt,
    content.expiresAt,
    ...rest(content),
  ];
}

function rest({ actor, confirmation }: AccessTokenContent): [] | [Actor] | [Actor | null, Confirmation] {
  if (confirmation !== undefined) return [actor ?? null, confirmation];
  return actor === undefined ? [] : [actor];
}

function unpack([
  jti,
  subject,
  clientId,
  sessionId,
  scopes,
  audience,
  issuedAt,
  expiresAt,
  actor,
  confirmation,
]: Packed): AccessTokenContent {
  return {
    jti,
    subject,
    clientId,
    ...(sessionId === null ? {} : { sessionId }),
    scopes: scopes.split(' '),
    audience,
    issuedAt,
    expiresAt,
    ...(actor == null ? {} : { actor }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
}
