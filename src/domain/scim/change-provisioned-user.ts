import { Injectable } from '@nestjs/common';
import { SyncPassword } from '../accounts/sync-password.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { FindProvisionedUsers } from './find-provisioned-users.js';
import { LockProvisionedUser } from './lock-provisioned-user.js';
import { changeOf, type ProvisionedUser, type WantedChange } from './provisioned-user.js';
import type { ScimToken } from './scim-tokens.store.js';
import { WriteProvisionedUser } from './write-provisioned-user.js';

/** Changes a user for a directory. */
@Injectable()
export class ChangeProvisionedUser {
  constructor(
    private readonly users: FindProvisionedUsers,
    private readonly lock: LockProvisionedUser,
    private readonly writeUser: WriteProvisionedUser,
    private readonly syncPassword: SyncPassword,
    private readonly owner: KeepOwner,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * All of it or nothing. Whoever is made inactive has neither session nor token when it is committed.
   *
   * @param version that the caller had read; undefined for any
   * @throws ApiError not-found, precondition-failed, permission-denied, already-exists, invalid-argument, HashingOverloaded
   */
  async execute(
    token: ScimToken,
    userId: UserId,
    version: readonly string[] | undefined,
    wantedOf: WantedChange,
    source: string,
  ): Promise<ProvisionedUser> {
    const change = changeOf(token, userId);
    const found = await this.users.find(token, userId);
    const first = wantedOf(found);
    // whoever comes back may be locked again
    const stays = first.active !== false && found.user.state !== 'inactive';
    const password =
      first.password === undefined
        ? undefined
        : await this.syncPassword.prepare(change, first.password, source);
    await this.unitOfWork.run((tx) =>
      this.whileStays(tx, userId, stays, async () => {
        const now = await this.lock.execute(tx, change, version);
        await this.writeUser.execute(tx, token, change, now, wantedOf(now), password);
      }),
    );
    return await this.users.find(token, userId);
  }

  /** The locks of owners who go come before that of the user's row. */
  private async whileStays(tx: Tx, userId: UserId, stays: boolean, work: () => Promise<void>): Promise<void> {
    if (stays) await work();
    else await this.owner.whileUserGoes(tx, userId, work);
  }
}
