import { Injectable } from '@nestjs/common';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from './find-user.js';
import { UsersStore, type LockedUser } from './users.store.js';

/** The row of a user who has to be there, locked (FOR UPDATE) for a change. It has nothing to do with the state `locked`. */
@Injectable()
export class LockUserForUpdate {
  constructor(private readonly users: UsersStore) {}

  /** @throws ApiError not-found */
  async execute(
    tx: Tx,
    { orgId, userId }: { readonly orgId: OrgId; readonly userId: UserId },
  ): Promise<LockedUser> {
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (user === undefined) throw userNotFound();
    return user;
  }
}
