import type { Tx } from '../shared/unit-of-work.js';

/** What `FinishRestore` ended. */
export interface EndedByRestore {
  readonly sessions: number;
  readonly grants: number;
}

/** What may be switched off beside what always ends, since it may have been taken away after the backup. */
export const DISABLED_ON_REQUEST = ['tokens', 'secrets', 'keys'] as const;
/** Personal access tokens; client secrets of applications and service users; their public keys for assertions. */
export type DisabledOnRequest = (typeof DISABLED_ON_REQUEST)[number];

/** Work of the outbox that waits until somebody says what becomes of it. */
export interface WithheldWork {
  readonly messages: number;
  readonly others: number;
}

/** Statements about everything at once, for a database that was restored and that nobody else uses yet. */
export abstract class RestoreStore {
  /** Ends every session and grant, raises every epoch, and forgets what works once. */
  abstract endAll(tx: Tx): Promise<EndedByRestore>;

  /** @returns how many no longer work */
  abstract disable(tx: Tx, what: DisabledOnRequest): Promise<number>;

  /** Keeps every row of the outbox back. Messages whose code is forgotten are given up. */
  abstract holdWork(tx: Tx): Promise<void>;

  /** Whether any is kept back still. One cheap look, made by each probe. */
  abstract isHolding(): Promise<boolean>;

  abstract countHeld(tx: Tx): Promise<WithheldWork>;

  /** Releases all of it. */
  abstract release(tx: Tx): Promise<WithheldWork>;

  /** Abandons the messages, and releases the rest. */
  abstract discardMessages(tx: Tx): Promise<WithheldWork>;
}
