import type { Role } from '../permissions/permissions.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { User } from '../users/user.js';

/** Where roles are held: in an organization, or (null) in the instance. */
export type MemberPlace = OrgId | null;

/** A user with all roles that they hold in one place. */
export interface Member {
  readonly userId: UserId;
  /** The organization that owns the user. */
  readonly userOrgId: OrgId;
  readonly loginName: string;
  /** As lists of people call them; the name of a service user. */
  readonly displayName: string;
  readonly userType: User['type'];
  readonly roles: readonly Role[];
  readonly details: ResourceDetails;
}

/** Members of the instance and of organizations: who holds which of the service's own roles. */
export abstract class MembersStore {
  /** Whoever changes members of this place after the call waits until the transaction ends. */
  abstract lock(tx: Tx, place: MemberPlace): Promise<void>;

  /**
   * Whether there is such a user, in the organization if one is given. Waits for whoever deletes them, and keeps them
   * from being deleted until the transaction ends.
   */
  abstract lockUserForUpdate(tx: Tx, userId: UserId, orgId: OrgId | null): Promise<boolean>;

  abstract findRoles(tx: Tx, place: MemberPlace, userId: UserId): Promise<readonly Role[]>;

  abstract list(place: MemberPlace, query: PageQuery): Promise<Page<Member>>;

  /** These roles and no others; none take the membership away, and the details are those it had. */
  abstract setRoles(
    tx: Tx,
    place: MemberPlace,
    userId: UserId,
    roles: readonly Role[],
  ): Promise<ResourceDetails>;
}
