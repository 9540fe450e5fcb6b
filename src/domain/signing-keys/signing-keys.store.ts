import type { ResourceDetails } from '../shared/details.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ChainKey, KeysNow, ListedKey } from './chain-key.js';
import type { KeySchedule } from './key-schedule.js';
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

/** Whom it touches when the key set changes without warning. Counted up to a bound. */
export interface AffectedByRotation {
  readonly grants: number;
  readonly applications: number;
  /** Counting stopped there: there are more grants, and perhaps more applications. */
  readonly hasMoreGrants: boolean;
  /** Addresses that asked for the key set during the last lead time, and may go by what they got. */
  readonly keySetReaders: number;
  /** No more of them are remembered: there may be others. */
  readonly hasMoreKeySetReaders: boolean;
}

/** Somebody who fetched the key set lately. Who they are nobody knows: a keyed hash stands for the address. */
export interface KeySetReader {
  readonly id: string;
  /** How often, as text: it may be large. */
  readonly reads: string;
  readonly firstReadAt: Date;
  readonly lastReadAt: Date;
}

/** An application with living grants. */
export interface AffectedApplication {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly orgId: string;
  /** Of those looked at: 100,000 in all (`SigningKeysStore.affected`). */
  readonly grants: number;
  /** There are more than were looked at, of whatever application. */
  readonly hasMoreGrants: boolean;
}

/**
 * The keys that sign and encrypt tokens, their states, and the times of the transitions: every change is made under `lock`. And
 * who is affected by a change: readers of the key set, and applications.
 */
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

  abstract now(tx?: Tx): Promise<KeysNow>;

  /** Every key, newest first, those that are gone too. */
  abstract list(query: PageQuery): Promise<Page<ListedKey>>;

  abstract find(tx: Tx, id: string): Promise<ChainKey | undefined>;

  /** Current → previous. A private half is erased: it has signed for the last time. */
  abstract stopSigning(tx: Tx, key: ChainKey, retiresAt: Date): Promise<ResourceDetails | undefined>;

  /** Next → current. */
  abstract startSigning(tx: Tx, key: ChainKey): Promise<ResourceDetails | undefined>;

  /** Next → next, at another time. */
  abstract moveTakeover(tx: Tx, key: ChainKey, activatesAt: Date): Promise<ResourceDetails | undefined>;

  /** Next or previous → gone. One that was `removed` verifies nothing again, not even an expired id_token_hint. */
  abstract end(tx: Tx, key: ChainKey, how: 'retired' | 'removed'): Promise<ResourceDetails | undefined>;

  abstract schedule(tx?: Tx): Promise<{ readonly schedule: KeySchedule; readonly details: ResourceDetails }>;

  abstract replaceSchedule(tx: Tx, schedule: KeySchedule): Promise<ResourceDetails>;

  abstract affected(): Promise<AffectedByRotation>;

  /** The applications that this counts one by one, by when they were made. */
  abstract listAffectedApplications(query: PageQuery): Promise<Page<AffectedApplication>>;

  /** By when they came first. Whoever comes back now and then stays listed; the number of all is bounded. */
  abstract listKeySetReaders(query: PageQuery): Promise<Page<KeySetReader>>;

  /** @param reads keyed hash of an address, in base64url → how often it asked since it was last written down */
  abstract recordKeySetReads(reads: ReadonlyMap<string, number>): Promise<void>;
}
