import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../shared/random.js';

const NOBODY = sha256('a client that does not exist');

/** A secret as it was presented, and whose it is said to be. */
export interface PresentedSecret {
  readonly clientId: string;
  readonly secret: string;
}

/** Whoever may have a secret: an application or a service user. */
interface SecretHolder {
  readonly clientSecretHash: Buffer | null;
}

/** Compares in constant time, with a hash of nobody where there is none, so that unknown and wrong cost the same. */
export function secretMatches(holder: SecretHolder | undefined, secret: string): boolean {
  const expected = holder?.clientSecretHash ?? NOBODY;
  return timingSafeEqual(sha256(secret), expected) && holder?.clientSecretHash != null;
}
