import { Injectable } from '@nestjs/common';
import { RemoveAllFactors } from '../factors/remove-all-factors.js';
import { requireOtherAccount } from '../permissions/require-other-account.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/** The way back for whoever lost their authenticator app, their passkeys and their recovery codes, by a manager. */
@Injectable()
export class ResetFactors {
  constructor(
    private readonly account: AccountChanges,
    private readonly factors: RemoveAllFactors,
  ) {}

  /**
   * Changes nothing for a user who has none.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition for one's own: a stolen token must not be enough to
   *   be rid of the second factor
   */
  async execute(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = await this.account.lockCoveredForUpdate(tx, change);
    requireOtherAccount(change, 'factors');
    return (await this.factors.execute(tx, change, user)) ?? user.details;
  }
}
