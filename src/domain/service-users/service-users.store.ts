import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ServiceUser, UserState } from '../users/user.js';

/** What can be changed of a service user beside its state and its credentials. */
export type ServiceUserSettings = Omit<ServiceUser, 'type'>;

/** A service user whose row nobody else changes until the transaction ends. */
export interface LockedServiceUser {
  readonly userName: string;
  readonly state: UserState;
  readonly settings: ServiceUserSettings;
  readonly hasSecret: boolean;
}

export abstract class ServiceUsersStore {
  /** Undefined when the organization has no such user; `human` when it is somebody else than a service user. */
  abstract lock(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedServiceUser | 'human' | undefined>;

  /** Of a locked user: replaces what can be changed. */
  abstract change(tx: Tx, orgId: OrgId, id: UserId, settings: ServiceUserSettings): Promise<ResourceDetails>;

  /**
   * Of a locked user: sets the secret, or takes it away (null). Where there was one, that raises the token
   * epoch: what it obtained ends with it.
   * @param madeBy null for whoever runs the service, undefined where nobody answers for it
   */
  abstract setSecret(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    secretHash: Buffer | null,
    madeBy: UserId | null | undefined,
  ): Promise<ResourceDetails>;
}
