import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What a key is unique within (architecture §6). */
export interface KeyScope {
  readonly caller: UserId;
  readonly orgId: OrgId;
  /** Method and path pattern: `POST /management/v1/projects`. */
  readonly route: string;
  readonly key: string;
}

/** An answer on file, sealed because answers may hold a client secret. */
export interface StoredAnswer {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly dataKeyId: number;
  readonly sealed: Buffer;
}

/** Answers to calls with an Idempotency-Key, for the repetition of the call. */
export abstract class IdempotencyStore {
  /** The answer under an unexpired key. */
  abstract find(scope: KeyScope, tx?: Tx): Promise<StoredAnswer | undefined>;

  /** Claims the key until the transaction ends, whichever way that is; false when another request holds it. */
  abstract tryLock(tx: Tx, scope: KeyScope): Promise<boolean>;

  /** Takes the place of an expired answer. */
  abstract save(tx: Tx, scope: KeyScope, answer: StoredAnswer, lifetimeMs: number): Promise<void>;
}
