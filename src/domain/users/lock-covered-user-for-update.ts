import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { LockUserForUpdate } from './lock-user-for-update.js';
import type { LockedUser } from './users.store.js';

/** The row of a user, locked for a change that could make the actor the user, or silence them. */
@Injectable()
export class LockCoveredUserForUpdate {
  constructor(
    private readonly lockUser: LockUserForUpdate,
    private readonly rank: RequireRank,
  ) {}

  /** @throws ApiError not-found, permission-denied */
  async execute(
    tx: Tx,
    change: Acting & { readonly orgId: OrgId; readonly userId: UserId },
  ): Promise<LockedUser> {
    const user = await this.lockUser.execute(tx, change);
    await this.rank.check(tx, change, change.userId);
    return user;
  }
}
