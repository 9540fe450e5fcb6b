import { SECRET_PREFIX } from './data-item-fields.js';

export interface WantedData {
  /** Empty for all. */
  readonly orgIds: readonly string[];
  readonly excludedOrgIds: readonly string[];
  /** And secrets of clients: as hashes. */
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  /** Who users are at identity providers. */
  readonly withIdps: boolean;
}

/** A field that says nothing is left out (protocol §0.1). */
export function nonZero<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== '' && value !== false);
  return Object.fromEntries(entries) as Partial<Fields>;
}

export function hashedSecret(hash: Buffer | undefined): object {
  return hash === undefined ? {} : { hashedClientSecret: { value: SECRET_PREFIX + hash.toString('hex') } };
}
