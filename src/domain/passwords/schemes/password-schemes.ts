import { argon2 } from './argon2.js';
import { aspnetIdentity } from './aspnet-identity.js';
import { auth0 } from './auth0.js';
import { bcrypt } from './bcrypt.js';
import { django } from './django.js';
import { drupal7 } from './drupal7.js';
import { firebaseScrypt } from './firebase-scrypt.js';
import { keycloak } from './keycloak.js';
import { ldap } from './ldap.js';
import { md5CryptScheme } from './md5-crypt.js';
import { md5Plain } from './md5-plain.js';
import { md5Salted } from './md5-salted.js';
import { passlib } from './passlib.js';
import { HashRejected, type HashInspection, type PasswordScheme, type ReadHash } from './password-scheme.js';
import { pbkdf2 } from './pbkdf2.js';
import { phpass } from './phpass.js';
import { scrypt } from './scrypt.js';
import { shaCryptScheme } from './sha-crypt.js';
import { werkzeug } from './werkzeug.js';
import { wordpress } from './wordpress.js';

/**
 * Every scheme that may be imported and verified; docs/passwords.md lists their forms. The first that recognises a
 * hash reads it, so the frequent ones come first, and Keycloak's JSON before Auth0's.
 */
const schemes: readonly PasswordScheme[] = [
  argon2,
  bcrypt,
  pbkdf2,
  scrypt,
  firebaseScrypt,
  django,
  werkzeug,
  aspnetIdentity,
  phpass,
  wordpress,
  drupal7,
  shaCryptScheme,
  md5CryptScheme,
  md5Salted,
  md5Plain,
  passlib,
  ldap,
  keycloak,
  auth0,
];

/** Names by which configuration switches schemes off. */
export const schemeNames: readonly string[] = schemes.map(({ name }) => name);

/** Longest encoded hash that is looked at: the largest salt and hash of any scheme fit with room to spare. */
const LONGEST_ENCODED = 4096;

/** Whether text claims to be a hash of some scheme. */
export function isEncodedHash(text: string): boolean {
  return text.length <= LONGEST_ENCODED && schemes.some((scheme) => scheme.recognises(text));
}

/** The scheme that an encoded hash claims; throws HashRejected when none does. */
export function schemeOf(encoded: string): PasswordScheme {
  if (encoded.length > LONGEST_ENCODED) {
    throw new HashRejected('too-long', `at most ${LONGEST_ENCODED} characters`);
  }
  const scheme = schemes.find((candidate) => candidate.recognises(encoded));
  if (scheme === undefined) {
    const allowed = schemes.flatMap((candidate) => candidate.forms).join(', ');
    throw new HashRejected('unknown-scheme', `allowed are ${allowed}`);
  }
  return scheme;
}

/** Reads an encoded hash without hashing anything; throws HashRejected. */
export function readHash(encoded: string): ReadHash {
  return schemeOf(encoded).read(encoded);
}

/** What an encoded hash says of itself, checked the same way. Import calls it for each record. */
export function inspectHash(encoded: string): HashInspection {
  const { scheme, weak, cost } = readHash(encoded);
  return { scheme, weak, cost };
}
