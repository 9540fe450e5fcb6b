import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Name of the job that erases a removed organization; its payload holds `orgId`. */
export const ERASE_ORGANIZATION = 'erase-organization';

/** What is left of organizations that were removed. Nothing here touches one that was not. */
export abstract class OrganizationErasureStore {
  /** Up to `limit` users of it that are not erased yet, locked until the transaction ends. */
  abstract lockUsersForUpdate(tx: Tx, orgId: OrgId, limit: number): Promise<readonly UserId[]>;

  /** Erases users that are held: all but their ids. An event is written for each. */
  abstract eraseUsers(tx: Tx, orgId: OrgId, userIds: readonly UserId[]): Promise<void>;

  /**
   * Up to `limit` rows of each other kind that hold something personal or secret: keys and secrets of applications,
   * members, registrations that never ended, policies with their pictures.
   *
   * @returns how many rows it took or changed
   */
  abstract eraseOthers(tx: Tx, orgId: OrgId, limit: number): Promise<number>;

  /**
   * Marks it erased when nothing can come any more: it was removed long enough ago for every request and transaction
   * of that time to have ended.
   */
  abstract finish(tx: Tx, orgId: OrgId): Promise<ResourceDetails | 'too-early' | 'finished-before'>;
}
