import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * Of one user together: userinfo, introspection and lists hold all of it in memory, and so do those who read them. The
 * bytes are those of keys and values.
 */
export const MOST_METADATA = { keys: 200, bytes: 1_000_000 };

export interface UserMetadata {
  readonly key: string;
  readonly value: Buffer;
  readonly details: ResourceDetails;
}

export abstract class UserMetadataStore {
  abstract find(orgId: OrgId, userId: UserId, key: string): Promise<UserMetadata | undefined>;

  /** Ordered by key. @param startsWith of the keys; empty for all */
  abstract list(
    orgId: OrgId,
    userId: UserId,
    startsWith: string,
    page: PageQuery,
  ): Promise<Page<UserMetadata>>;

  /** How much the user has beside that key; bytes of keys and values. */
  abstract measureOthers(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    key: string,
  ): Promise<{ readonly keys: number; readonly bytes: number }>;

  /** Of a user whose row is locked. */
  abstract set(tx: Tx, orgId: OrgId, userId: UserId, key: string, value: Buffer): Promise<ResourceDetails>;

  /** The details that it had; undefined when there is no such key. */
  abstract remove(tx: Tx, orgId: OrgId, userId: UserId, key: string): Promise<ResourceDetails | undefined>;
}
