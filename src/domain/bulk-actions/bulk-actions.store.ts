import type { ResourceDetails } from '../shared/details.js';
import type { BulkActionId, OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { UserListQuery } from '../users/user-list.js';
import type {
  BulkAction,
  EndedBulkAction,
  ListedBulkFailure,
  NewBulkAction,
  NextUser,
} from './bulk-action.js';

/** Actions on many users: each as a job, with the users that it is still to reach and those that it failed for. */
export abstract class BulkActionsStore {
  /** The users that a search finds, newest first. @throws ApiError resource-exhausted when it takes too long */
  abstract search(
    orgId: OrgId,
    search: Omit<UserListQuery, 'after' | 'limit'>,
    limit: number,
  ): Promise<readonly UserId[]>;

  /** Nobody else starts or ends one of the organization until the transaction ends: one is carried out at a time. */
  abstract lockTurns(tx: Tx, orgId: OrgId): Promise<void>;

  abstract countRunning(tx: Tx, orgId: OrgId): Promise<number>;

  /** Forgets the oldest of the organization that are over, beyond `MOST_KEPT`. */
  abstract add(
    tx: Tx,
    action: NewBulkAction,
    userIds: readonly UserId[],
  ): Promise<{ readonly id: BulkActionId; readonly details: ResourceDetails }>;

  abstract find(orgId: OrgId, id: BulkActionId): Promise<BulkAction | undefined>;

  /** For whom it failed so far; of an action of another organization nobody. */
  abstract listFailures(orgId: OrgId, id: BulkActionId, query: PageQuery): Promise<Page<ListedBulkFailure>>;

  /** Locks turns. Undefined where it is not running. */
  abstract cancel(tx: Tx, orgId: OrgId, id: BulkActionId): Promise<EndedBulkAction | undefined>;

  /**
   * A user whose turn it is, locked until the transaction ends; one that another worker has is passed over.
   * @returns undefined where nobody is left, or it does not run any more
   */
  abstract takeNext(tx: Tx, id: BulkActionId): Promise<NextUser | undefined>;

  /** What became of the user that was taken. @param reason why it failed */
  abstract settle(tx: Tx, id: BulkActionId, userId: UserId, reason: string | undefined): Promise<void>;

  /** Whether it runs and somebody is left. */
  abstract goesOn(tx: Tx, id: BulkActionId): Promise<boolean>;

  /** Locks turns. Undefined where it is not running. */
  abstract finish(tx: Tx, id: BulkActionId): Promise<EndedBulkAction | undefined>;

  /** The oldest that is running, if one that is over was before it. */
  abstract findNext(tx: Tx, over: EndedBulkAction): Promise<BulkActionId | undefined>;
}
