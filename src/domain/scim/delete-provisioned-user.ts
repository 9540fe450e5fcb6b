import { Injectable } from '@nestjs/common';
import { DeleteUser } from '../accounts/delete-user.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { LockProvisionedUser } from './lock-provisioned-user.js';
import { changeOf } from './provisioned-user.js';
import type { ScimToken } from './scim-tokens.store.js';

/** Deletes a user for a directory, as a manager does. */
@Injectable()
export class DeleteProvisionedUser {
  constructor(
    private readonly lock: LockProvisionedUser,
    private readonly deleteUser: DeleteUser,
    private readonly owner: KeepOwner,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws ApiError not-found, precondition-failed, permission-denied, failed-precondition */
  async execute(token: ScimToken, userId: UserId, version: readonly string[] | undefined): Promise<void> {
    const change = changeOf(token, userId);
    await this.unitOfWork.run((tx) =>
      // the locks of owners who go come before that of the user's row
      this.owner.whileUserGoes(tx, userId, async () => {
        await this.lock.execute(tx, change, version);
        await this.deleteUser.execute(tx, change);
      }),
    );
  }
}
