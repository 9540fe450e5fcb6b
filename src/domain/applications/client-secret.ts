import { randomInt } from 'node:crypto';
import { sha256 } from '../shared/random.js';
import { needsSecret, type ClientAuthMethod } from './oidc-config.js';

const LENGTH = 64;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A client secret of 381 random bits, in letters and digits only: nothing in it needs escaping anywhere. */
export function makeClientSecret(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** What a new application authenticates with. */
interface NewClientSecret {
  /** Null for a method without a secret. */
  readonly clientSecretHash: Buffer | null;
  /** Shown this once. Undefined where none was made. */
  readonly clientSecret: string | undefined;
}

/** @param knownHash of a secret that the application has elsewhere, and keeps; without one a secret is made */
export function newClientSecret(method: ClientAuthMethod, knownHash?: Buffer): NewClientSecret {
  if (!needsSecret(method)) return { clientSecretHash: null, clientSecret: undefined };
  if (knownHash !== undefined) return { clientSecretHash: knownHash, clientSecret: undefined };
  const clientSecret = makeClientSecret();
  return { clientSecretHash: sha256(clientSecret), clientSecret };
}
