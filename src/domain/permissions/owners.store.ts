import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Who owns the instance: the users with the role IAM_OWNER. */
export abstract class OwnersStore {
  /** Changes of the instance's roles wait until the transaction ends; others who call this do not. */
  abstract holdRoles(tx: Tx): Promise<void>;

  abstract isOwner(tx: Tx, userId: UserId): Promise<boolean>;

  /** Whether an owner, in whatever state, lives in the organization. */
  abstract isHomeOfOwner(tx: Tx, orgId: OrgId): Promise<boolean>;

  /** Whoever calls this after us waits until the transaction ends. */
  abstract takeTurn(tx: Tx): Promise<void>;

  /** How many active users of active organizations own the instance. */
  abstract count(tx: Tx): Promise<number>;
}
