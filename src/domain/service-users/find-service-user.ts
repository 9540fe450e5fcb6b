import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { RequireRank } from '../permissions/require-rank.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { FindUser, userNotFound } from '../users/find-user.js';
import { ServiceUsersStore, type LockedServiceUser } from './service-users.store.js';

export type ServiceUserChange = {
  readonly orgId: OrgId;
  readonly userId: UserId;
  // nobody for the bootstrap command, which answers to whoever runs the machine
} & (Acting | { readonly actorId: null });

/** People sign in with passwords; secrets, keys and personal access tokens are for programs. */
function notAServiceUser(): ApiError {
  return new ApiError('failed-precondition', 'User is not a service user', 'COMMAND-5N9fd');
}

/** The first step of whatever concerns a service user: is there one, and may the caller touch its credentials? */
@Injectable()
export class FindServiceUser {
  constructor(
    private readonly users: FindUser,
    private readonly serviceUsers: ServiceUsersStore,
    private readonly requireRank: RequireRank,
  ) {}

  /** @throws ApiError not-found, failed-precondition for a person */
  async require(orgId: OrgId, userId: UserId): Promise<void> {
    const user = await this.users.find(orgId, userId);
    if (user.type !== 'machine') throw notAServiceUser();
  }

  /** Locks the row. @throws ApiError as above, permission-denied for a user who outranks the caller */
  async lock(tx: Tx, change: ServiceUserChange): Promise<LockedServiceUser> {
    const { orgId, userId } = change;
    const user = await this.serviceUsers.lock(tx, orgId, userId);
    if (user === undefined) throw userNotFound();
    if (user === 'human') throw notAServiceUser();
    if (change.actorId !== null) await this.requireRank.check(tx, change, userId);
    return user;
  }

  /** The same for somebody who is about to get a new credential. @throws ApiError failed-precondition when inactive */
  async lockActive(tx: Tx, change: ServiceUserChange): Promise<LockedServiceUser> {
    const user = await this.lock(tx, change);
    if (user.state === 'active') return user;
    throw new ApiError('failed-precondition', 'User is deactivated or locked', 'COMMAND-3M9fs');
  }

  /** Who is put down as the maker of a credential: null for whoever runs the service, undefined for nobody. */
  async makerOf(tx: Tx, change: ServiceUserChange): Promise<UserId | null | undefined> {
    return change.actorId === null ? null : await this.requireRank.answersFor(tx, change);
  }
}
