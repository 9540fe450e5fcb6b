import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Role } from './permissions.js';
import type { HeldRole } from './rank.js';

export interface Membership {
  readonly userId: UserId;
  readonly userOrgId: OrgId;
  readonly role: Role;
  /** Where an `ORG_…` role holds; null for an `IAM_…` role. */
  readonly orgId: OrgId | null;
}

export abstract class PermissionsStore {
  /**
   * The user's roles that count in an organization, instance roles included; undefined when there is no such one.
   * @param tx of the transaction that asks, so that it waits for no second connection
   */
  abstract findRoles(userId: UserId, orgId: OrgId, tx?: Tx): Promise<readonly Role[] | undefined>;

  /** Every role the user holds, wherever it holds: of the instance and of all organizations. */
  abstract listHeld(tx: Tx, userId: UserId): Promise<readonly HeldRole[]>;

  /** @returns false when the user held the role before */
  abstract add(tx: Tx, membership: Membership): Promise<boolean>;
}
