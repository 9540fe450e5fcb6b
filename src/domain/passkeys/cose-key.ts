import { createPublicKey } from 'node:crypto';

/**
 * Public keys as authenticators give them (COSE_Key, RFC 9052 §7, RFC 9053), read without the library of the ceremonies
 * (webauthn.ts): imports hold keys against this by the thousand, in processes in which nobody shows a passkey.
 */

type CoseValue = number | Buffer;

/** RFC 9053 §2, RFC 8230 §4: the algorithms that a passkey of ours may have, each with its one shape and the fewest bytes of its parts. */
const KINDS = [
  { kty: 2, alg: -7, crv: 1, jwk: { kty: 'EC', crv: 'P-256' }, parts: { x: -2, y: -3 }, bytes: 32 },
  { kty: 1, alg: -8, crv: 6, jwk: { kty: 'OKP', crv: 'Ed25519' }, parts: { x: -2 }, bytes: 32 },
  { kty: 3, alg: -257, crv: undefined, jwk: { kty: 'RSA' }, parts: { n: -1, e: -2 }, bytes: 256 },
] as const;
const KTY = 1;
const ALG = 3;
const CRV = -1;

/** Whether a signature can be held against it: a key of a listed algorithm, on its curve, with nothing beside it. */
export function isCoseKey(bytes: Buffer): boolean {
  const members = readMap(bytes);
  const kind = KINDS.find(({ kty, alg }) => members?.get(KTY) === kty && members.get(ALG) === alg);
  if (members === undefined || kind === undefined) return false;
  if (kind.crv !== undefined && members.get(CRV) !== kind.crv) return false;
  const parts = Object.entries(kind.parts).map(([name, label]) => [name, members.get(label)] as const);
  if (members.size !== parts.length + (kind.crv === undefined ? 2 : 3)) return false;
  const jwk: Record<string, string> = { ...kind.jwk };
  for (const [name, value] of parts) {
    // the exponent alone may be short
    if (!Buffer.isBuffer(value) || (name !== 'e' && value.length < kind.bytes)) return false;
    jwk[name] = value.toString('base64url');
  }
  try {
    createPublicKey({ key: jwk, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** A CBOR map of integers and byte strings in their definite forms (RFC 8949 §3), which CTAP has keys be; else undefined. */
function readMap(bytes: Buffer): ReadonlyMap<number, CoseValue> | undefined {
  let at = 0;
  const head = (): { readonly major: number; readonly value: number } | undefined => {
    const first = bytes[at++];
    if (first === undefined) return undefined;
    const length = first & 0x1f;
    const more = length < 24 ? 0 : length === 24 ? 1 : length === 25 ? 2 : undefined;
    if (more === undefined || at + more > bytes.length) return undefined;
    const value = more === 0 ? length : bytes.readUIntBE(at, more);
    at += more;
    return { major: first >> 5, value };
  };
  const next = (): CoseValue | undefined => {
    const read = head();
    if (read?.major === 0) return read.value;
    if (read?.major === 1) return -1 - read.value;
    if (read?.major !== 2 || at + read.value > bytes.length) return undefined;
    return bytes.subarray(at, (at += read.value));
  };
  const map = head();
  if (map?.major !== 5 || map.value > 8) return undefined;
  const members = new Map<number, CoseValue>();
  for (let left = map.value; left > 0; left -= 1) {
    const [label, value] = [next(), next()];
    if (typeof label !== 'number' || value === undefined || members.has(label)) return undefined;
    members.set(label, value);
  }
  return at === bytes.length ? members : undefined;
}
