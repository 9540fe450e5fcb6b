import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Somebody with the role IAM_OWNER. */
export interface InstanceOwner {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly kind: 'human' | 'machine';
  readonly userName: string;
  /** `userName@<primary domain>` */
  readonly loginName: string;
  /** Empty where there is none. */
  readonly email: string;
  readonly isOrganizationActive: boolean;
}

/** Who owns the instance: the users with the role IAM_OWNER. */
export abstract class OwnersStore {
  /** Changes of the instance's roles wait until the transaction ends; others who call this do not. */
  abstract lockRolesShared(tx: Tx): Promise<void>;

  abstract isOwner(tx: Tx, userId: UserId): Promise<boolean>;

  /** Whether an owner, in whatever state, lives in the organization. */
  abstract isHomeOfOwner(tx: Tx, orgId: OrgId): Promise<boolean>;

  /** Whoever calls this after us waits until the transaction ends. */
  abstract takeTurn(tx: Tx): Promise<void>;

  /** Whatever their state. */
  abstract list(tx: Tx): Promise<readonly InstanceOwner[]>;

  /** How many active users of active organizations own the instance. */
  abstract count(tx: Tx): Promise<number>;
}
