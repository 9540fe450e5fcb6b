import type { JWK } from 'jose';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ServiceUserKeyId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

export interface NewServiceUserKey {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: ServiceUserKeyId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly publicJwk: JWK;
  readonly expiresAt: Date;
  /** Null for whoever runs the service, undefined where nobody answers for it. */
  readonly madeBy: UserId | null | undefined;
}

export interface ServiceUserKey {
  readonly id: ServiceUserKeyId;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}

/** The keys that a service user signs its assertions with; public halves only. */
export abstract class ServiceUserKeysStore {
  /** @throws ApiError already-exists for the id */
  abstract add(tx: Tx, key: NewServiceUserKey): Promise<ServiceUserKey>;

  abstract list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<ServiceUserKey>>;

  abstract find(orgId: OrgId, userId: UserId, id: ServiceUserKeyId): Promise<ServiceUserKey | undefined>;

  /**
   * Removes the key and raises the user's token epoch with it: what it obtained ends with the commit. Undefined when
   * there was no such key.
   */
  abstract remove(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ResourceDetails | undefined>;
}
