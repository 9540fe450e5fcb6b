import type { JWK } from 'jose';
import { ApiError } from '../../shared/errors.js';
import { isId } from '../../shared/ids.js';
import { parseJson } from '../../shared/unique-members.js';
import { readPublicKey } from '../../signing-keys/assertion-key.js';

/** In place of a `kid`: the only key there is, which neither it nor what it signs need name (OpenID Connect Core §10.1). */
export const NAMELESS = '';
/** Past this a set is a mistake, or an attack: each key is computed with when it is read. */
const MOST_KEYS = 20;

/** Public keys for signatures, by their `kid`. */
export type PublishedKeys = ReadonlyMap<string, JWK>;

/** Which key a header or a key itself speaks of; undefined where it is the id of none. */
export function keyIdOf(kid: unknown): string | undefined {
  if (kid === undefined) return NAMELESS;
  return typeof kid === 'string' && isId(kid) ? kid : undefined;
}

/** A set of which nothing may count. The message says why, and nothing of what is in it. */
export class UnfitKeySet extends Error {}

/**
 * Reads a JWK set (RFC 7517 §5). Keys that are of no use here (for encryption, on other curves, without a `kid` though there are others) are passed over, as
 * the RFC has it. A set with a private or a symmetric key counts for nothing: whoever reads it could sign with that.
 *
 * @throws UnfitKeySet
 */
export function readKeySet(text: string): PublishedKeys {
  const found = new Map<string, JWK>();
  const members = membersOf(text);
  for (const member of members) {
    // RFC 7518 §6: `d` is the private part of every kind, `k` a symmetric key
    if ('d' in member || 'k' in member) throw new UnfitKeySet('it has a private or symmetric key');
    const kid = keyIdOf(member['kid']);
    if (kid === undefined || (kid === NAMELESS && members.length > 1)) continue;
    const key = usable(member);
    if (key === undefined) continue;
    if (found.has(kid)) throw new UnfitKeySet('it has a kid twice');
    found.set(kid, key);
  }
  return found;
}

/** The key of that name, or the only one. */
export function keyNamed(keys: PublishedKeys, kid: string): JWK | undefined {
  if (kid !== NAMELESS || keys.size > 1) return keys.get(kid);
  const [only] = keys.values();
  return only;
}

function membersOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new UnfitKeySet('it is not valid JSON');
  }
  const keys: unknown = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : null;
  if (!Array.isArray(keys)) throw new UnfitKeySet('it has no list of keys');
  if (keys.length > MOST_KEYS) throw new UnfitKeySet(`it has more than ${MOST_KEYS} keys`);
  return keys.map((member: unknown) => {
    if (typeof member !== 'object' || member === null) throw new UnfitKeySet('a key is no object');
    return member as Readonly<Record<string, unknown>>;
  });
}

function usable(member: Readonly<Record<string, unknown>>): JWK | undefined {
  try {
    return readPublicKey(member);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
