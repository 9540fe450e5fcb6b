import { Injectable } from '@nestjs/common';
import type { CodeFactorKind } from '../../policies/factor-policy.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { FactorsStore } from '../factors.store.js';
import { RemoveFactor, type OwnFactorChange } from '../remove-factor.js';

/** Codes are not sent any more: by their user, with a fresh proof, or by a manager. */
@Injectable()
export class RemoveCodeFactor {
  constructor(
    private readonly factors: FactorsStore,
    private readonly removeFactor: RemoveFactor,
  ) {}

  /** @throws ApiError not-found, failed-precondition for the last factor of whoever must have one */
  async ofOwn(tx: Tx, change: OwnFactorChange, kind: CodeFactorKind): Promise<ResourceDetails> {
    return await this.removeFactor.ofOwn(tx, change, () => this.remove(tx, change, kind), removed(kind));
  }

  /** @throws ApiError not-found, permission-denied, failed-precondition for one's own */
  async ofUser(tx: Tx, change: OwnFactorChange, kind: CodeFactorKind): Promise<ResourceDetails> {
    return await this.removeFactor.ofUser(tx, change, () => this.remove(tx, change, kind), removed(kind));
  }

  private async remove(tx: Tx, { orgId, userId }: OwnFactorChange, kind: CodeFactorKind): Promise<void> {
    if (await this.factors.removeCodeFactor(tx, orgId, userId, kind)) return;
    throw new ApiError('not-found', 'No such codes are sent', 'QUERY-Cf9w4');
  }
}

function removed(kind: CodeFactorKind) {
  return { type: 'user.human.code_factor.removed', data: { kind } } as const;
}
