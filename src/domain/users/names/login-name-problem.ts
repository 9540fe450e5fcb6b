import { nameFault } from '../../shared/hidden-characters.js';
import { canonicalName, LONGEST_CANONICAL_BYTES } from './canonical-name.js';
import { isLongerThan } from './text-rules.js';

export type LoginNameProblem = 'login-name-missing' | 'login-name-not-valid' | 'login-name-not-available';

const LONGEST_NAME = 200;

/**
 * For a name that no administrator gave: its user chose it, or a provider sent it. One with an `@` is an address, so it must be the
 * one whose mailbox is proven; the `@` is searched for in the name as sign-in compares it, since other characters count as one there.
 */
export function loginNameProblem(loginName: string, email: string): LoginNameProblem | undefined {
  if (loginName === '') return 'login-name-missing';
  if (isLongerThan(LONGEST_NAME, loginName)) return 'login-name-not-valid';
  const canonical = canonicalName(loginName);
  const isFit =
    canonical !== '' &&
    !/\s/u.test(loginName) &&
    nameFault(loginName) === undefined &&
    Buffer.byteLength(canonical) <= LONGEST_CANONICAL_BYTES &&
    (!canonical.includes('@') || canonical === canonicalName(email));
  return isFit ? undefined : 'login-name-not-valid';
}
