import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from './find-user.js';
import { UsersStore, type LockedUser } from './users.store.js';

/** The row of a user, locked for a change that could make the actor the user, or silence them. */
@Injectable()
export class LockCoveredUser {
  constructor(
    private readonly users: UsersStore,
    private readonly rank: RequireRank,
  ) {}

  /** @throws ApiError not-found, permission-denied */
  async execute(
    tx: Tx,
    change: Acting & { readonly orgId: OrgId; readonly userId: UserId },
  ): Promise<LockedUser> {
    const { orgId, userId } = change;
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (user === undefined) throw userNotFound();
    await this.rank.check(tx, change, userId);
    return user;
  }
}
