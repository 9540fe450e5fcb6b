import type { Page, PageQuery } from '../shared/page.js';

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
  /** Of those looked at: 100,000 in all (SigningKeysStore.affected). */
  readonly grants: number;
}

/**
 * Whom a change of keys touches, one by one, in pages and up to a bound. Of those who asked for the key set, whoever comes
 * back now and then is kept, and never more than so many.
 */
export abstract class KeyAudienceStore {
  /** By when they came first. */
  abstract readers(query: PageQuery): Promise<Page<KeySetReader>>;

  /** By when they were made. */
  abstract affected(query: PageQuery): Promise<Page<AffectedApplication>>;

  /** @param reads keyed hash of an address, in base64url → how often it asked since it was last written down */
  abstract record(reads: ReadonlyMap<string, number>): Promise<void>;
}
