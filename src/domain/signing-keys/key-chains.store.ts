import type { ResourceDetails } from '../shared/details.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ChainKey, KeysNow, ListedKey } from './chain-key.js';
import type { KeySchedule } from './key-schedule.js';

/** Whom it touches when the key set changes without warning. Counted up to a bound. */
export interface AffectedByRotation {
  readonly grants: number;
  readonly applications: number;
  /** Addresses that asked for the key set during the last lead time, and may go by what they got. */
  readonly keySetReaders: number;
}

/** How keys go on from state to state. Every change here is made under the lock of SigningKeysStore. */
export abstract class KeyChainsStore {
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
}
