import { Injectable } from '@nestjs/common';
import { CheckPassword } from '../passwords/check-password.js';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { AccountChanges, type AccountChange } from './account-changes.js';
import { SetPassword, type PreparedPassword } from './set-password.js';

/** A password that another system sends repeatedly, changed or not. */
@Injectable()
export class SyncPassword {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly account: AccountChanges,
    private readonly checkPassword: CheckPassword,
    private readonly setPassword: SetPassword,
  ) {}

  /**
   * Without a transaction: hashing takes its time. It is looked at through the one door where guesses are counted, and not at
   * all for a user whose password the actor must not set: or an owner's could be guessed here.
   *
   * @returns undefined where the user has that password and may keep it, so that nothing is to be done
   * @throws ApiError not-found, permission-denied, invalid-argument, HashingOverloaded
   */
  async prepare(
    change: AccountChange,
    password: string,
    source: string,
  ): Promise<PreparedPassword | undefined> {
    await this.unitOfWork.run((tx) => this.account.lockCoveredForUpdate(tx, change));
    const bill = HashingBill.administration(change.orgId, source);
    const { matches, changeRequired } = await this.checkPassword.check(change.userId, password, bill);
    if (matches && !changeRequired) return undefined;
    return await this.setPassword.prepare(change, password, false, source);
  }
}
