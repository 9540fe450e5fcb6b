import type { GivenAccess, ManagementAccess } from '../permissions/management-access.js';
import type { ResourceDetails } from '../shared/details.js';
import type { ApplicationId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** Who answers for what an application may do. */
export interface AccessGift {
  readonly access: ManagementAccess;
  /** Null for `none`, and for an application of bootstrap's. */
  readonly givenBy: UserId | null;
}

/** What applications may do on the service's own APIs, and who gave it. */
export abstract class ApplicationAccessStore {
  /** With the giver's present roles; undefined for an application that is gone. */
  abstract find(id: ApplicationId, tx?: Tx): Promise<GivenAccess | undefined>;

  /** The same, and nobody else changes it until the transaction ends. */
  abstract hold(tx: Tx, id: ApplicationId): Promise<GivenAccess | undefined>;

  /** It is bootstrap's own no longer, whatever it was. */
  abstract set(tx: Tx, id: ApplicationId, gift: AccessGift): Promise<ResourceDetails>;
}
