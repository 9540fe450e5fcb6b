import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { requireOtherAccount } from '../permissions/require-other-account.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { FactorsStore } from './factors.store.js';
import { RecordFactorChange, type ChangeToRecord } from './record-factor-change.js';
import { RequireFactorLeft } from './require-factor-left.js';

/** Somebody changes the factors of a user: the user, or a manager. */
export interface OwnFactorChange extends Acting {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

type Removed = Omit<ChangeToRecord, 'template'>;
type Remove = () => Promise<void>;

/** What goes with the removal of a factor, whichever it is. */
@Injectable()
export class RemoveFactor {
  constructor(
    private readonly factors: FactorsStore,
    private readonly rank: RequireRank,
    private readonly access: EndAccess,
    private readonly change: RecordFactorChange,
    private readonly factorLeft: RequireFactorLeft,
  ) {}

  /** @param remove throws where there is none @throws ApiError failed-precondition for the last factor of whoever must have one */
  async ofOwn(tx: Tx, change: OwnFactorChange, remove: Remove, removed: Removed): Promise<ResourceDetails> {
    return await this.execute(tx, change, remove, removed, () => this.factorLeft.check(tx, change.userId));
  }

  /**
   * If somebody else removes it, it may be compromised: all access of the user ends as well.
   * @throws ApiError permission-denied, failed-precondition for one's own
   */
  async ofUser(tx: Tx, change: OwnFactorChange, remove: Remove, removed: Removed): Promise<ResourceDetails> {
    requireOtherAccount(change, 'factors');
    return await this.execute(tx, change, remove, removed, async () => {
      await this.rank.check(tx, change, change.userId);
      await this.access.ofUser(tx, change, 'factor_removed');
    });
  }

  private async execute(
    tx: Tx,
    change: OwnFactorChange,
    remove: Remove,
    removed: Removed,
    andMore: () => Promise<void>,
  ): Promise<ResourceDetails> {
    const user = await this.change.lock(tx, change);
    await remove();
    await andMore();
    await this.factors.dropIdleRecoveryCodes(tx, change.userId);
    return await this.change.execute(tx, change, user, { ...removed, template: 'factor_removed' });
  }
}
