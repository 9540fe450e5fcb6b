import { Injectable } from '@nestjs/common';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/** Writes down that somebody took a copy of all that is kept about them: who took the account over would do that, too. */
@Injectable()
export class NoteDataDownload {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
  ) {}

  /** @throws ApiError not-found */
  async execute(tx: Tx, change: AccountChange): Promise<void> {
    const user = await this.account.lockForUpdate(tx, change);
    const details = await this.users.countChange(tx, user);
    await this.account.record(tx, change, details, 'user.data.downloaded');
  }
}
