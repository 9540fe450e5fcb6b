import type { Tx } from '../shared/unit-of-work.js';
import type { NewSigningKey, SigningAlgorithm, SigningKey } from './signing-key.js';

export interface StoredPrivateKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateSealed: Buffer;
  readonly dataKeyId: number;
}

export interface StoredTokenKey {
  readonly id: number;
  readonly state: 'next' | 'current' | 'previous' | 'gone';
  readonly sealed: Buffer;
  readonly dataKeyId: number;
}

/** A token key as it is stored when made. */
export interface NewTokenKey extends StoredTokenKey {
  /** Of a next key: when it takes over. */
  readonly activatesAt: Date | null;
  readonly byEmergency: boolean;
}

export abstract class SigningKeysStore {
  /** Serialises every change of key states over all replicas until the transaction ends. */
  abstract lock(tx: Tx): Promise<void>;

  /** Every key that may appear in the key set: next, current and previous, oldest first. */
  abstract listPublished(tx?: Tx): Promise<readonly SigningKey[]>;

  /** The key that signs of each algorithm that has one. */
  abstract listCurrentPrivate(): Promise<readonly StoredPrivateKey[]>;

  /**
   * A public key by kid in any state, also `gone`: expired id_token_hints must still verify. Not one that was removed
   * before its time, though: somebody else may have it.
   */
  abstract findPublic(kid: string): Promise<SigningKey | undefined>;

  abstract add(tx: Tx, key: NewSigningKey): Promise<void>;

  /** Keys that opaque access tokens are sealed with, newest first. */
  abstract listTokenKeys(tx?: Tx): Promise<readonly StoredTokenKey[]>;

  /** @returns the new key's id, which the sealing needs as associated data: reserve first, then `addTokenKey` */
  abstract reserveTokenKeyId(tx: Tx): Promise<number>;
  abstract addTokenKey(tx: Tx, key: NewTokenKey): Promise<void>;
}
