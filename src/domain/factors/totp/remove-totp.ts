import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { FactorsStore } from '../factors.store.js';
import { RemoveFactor, type OwnFactorChange } from '../remove-factor.js';

const REMOVED = { type: 'user.human.totp.removed' } as const;

/** An authenticator app is taken away: by its user, with a fresh proof, or by a manager. */
@Injectable()
export class RemoveTotp {
  constructor(
    private readonly factors: FactorsStore,
    private readonly removeFactor: RemoveFactor,
  ) {}

  /** @throws ApiError not-found, failed-precondition for the last factor of whoever must have one */
  async ofOwn(tx: Tx, change: OwnFactorChange): Promise<ResourceDetails> {
    return await this.removeFactor.ofOwn(tx, change, () => this.remove(tx, change), REMOVED);
  }

  /** @throws ApiError not-found, permission-denied, failed-precondition for one's own */
  async ofUser(tx: Tx, change: OwnFactorChange): Promise<ResourceDetails> {
    return await this.removeFactor.ofUser(tx, change, () => this.remove(tx, change), REMOVED);
  }

  private async remove(tx: Tx, { orgId, userId }: OwnFactorChange): Promise<void> {
    if (await this.factors.removeTotp(tx, orgId, userId)) return;
    throw new ApiError('not-found', 'There is no authenticator app', 'QUERY-To9w4');
  }
}
