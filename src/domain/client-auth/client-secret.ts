import { timingSafeEqual } from 'node:crypto';
import type { Application } from '../clients/application.js';
import { sha256 } from '../shared/random.js';

const NOBODY = sha256('a client that does not exist');

/** Compares in constant time, with a hash of nobody where there is none, so that unknown and wrong cost the same. */
export function secretMatches(application: Application | undefined, secret: string): boolean {
  const expected = application?.clientSecretHash ?? NOBODY;
  return timingSafeEqual(sha256(secret), expected) && application?.clientSecretHash != null;
}
