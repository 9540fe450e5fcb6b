import type { ResourceDetails } from '../shared/details.js';
import type { KeySchedule } from './key-schedule.js';
import type { SigningAlgorithm, SigningKeyState } from './signing-key.js';

/** Keys follow each other in chains: one for each signing algorithm, and one for the keys of opaque tokens. */
export type KeyChain = SigningAlgorithm | 'opaque';

/** A key as its chain sees it: its state and the time of its next transition, without key material. */
export interface ChainKey {
  /** The kid, or the number of a token key. */
  readonly id: string;
  readonly chain: KeyChain;
  readonly state: SigningKeyState;
  readonly createdAt: Date;
  /** Of a next key: when it takes over. */
  readonly activatesAt: Date | null;
  readonly currentSince: Date | null;
  readonly previousSince: Date | null;
  /** Of a previous key: when nothing that it signed can be valid any more. */
  readonly retiresAt: Date | null;
  readonly goneAt: Date | null;
  /** It was made in an emergency. */
  readonly byEmergency: boolean;
  readonly details: ResourceDetails;
}

/** A key, and who knows it. */
export interface ListedKey extends ChainKey {
  /** Addresses that asked for the key set since the key is in it. */
  readonly readers: number;
  /** No more of them are remembered: there may be others. */
  readonly hasMoreReaders: boolean;
}

/** All that decides what is to be done, read at one moment. */
export interface KeysNow {
  /** The database's clock. */
  readonly now: Date;
  readonly schedule: KeySchedule;
  /** Every key that is not gone, oldest first. */
  readonly keys: readonly ChainKey[];
}
