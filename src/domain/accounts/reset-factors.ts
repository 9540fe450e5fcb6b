import { Injectable } from '@nestjs/common';
import { FactorsStore } from '../factors/factors.store.js';
import { RecordFactorChange } from '../factors/record-factor-change.js';
import { requireSomebodyElse } from '../factors/remove-factor.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { LockAccount, type AccountChange } from './lock-account.js';

/**
 * The way back for whoever lost their authenticator app, their passkeys and their recovery codes: a manager takes all of
 * them away, and the password alone signs in until there is another one. Whoever asks for it may be somebody else than the user, so that
 * whatever the user was let in with ends as well.
 */
@Injectable()
export class ResetFactors {
  constructor(
    private readonly account: LockAccount,
    private readonly factors: FactorsStore,
    private readonly access: EndAccess,
    private readonly change: RecordFactorChange,
  ) {}

  /**
   * Changes nothing for a user who has none.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition for one's own: a stolen token must not be enough to
   *   be rid of the second factor
   */
  async execute(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = await this.account.lockCoveredForUpdate(tx, change);
    requireSomebodyElse(change);
    if (!(await this.factors.removeAll(tx, change.orgId, change.userId))) return user.details;
    await this.access.ofUser(tx, change, 'factors_reset');
    return await this.change.execute(tx, change, user, {
      type: 'user.human.factors.reset',
      template: 'factors_reset',
    });
  }
}
