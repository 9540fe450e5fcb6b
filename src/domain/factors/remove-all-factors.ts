import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess, type AccessOfUser } from '../users/end-access.js';
import type { LockedUser } from '../users/users.store.js';
import { FactorsStore } from './factors.store.js';
import { RecordFactorChange } from './record-factor-change.js';

/**
 * Removes all second factors of a user: the password alone signs in until there is another one. The caller
 * may be somebody else than the user, so all access of the user ends as well, and a mail says so.
 */
@Injectable()
export class RemoveAllFactors {
  constructor(
    private readonly factors: FactorsStore,
    private readonly access: EndAccess,
    private readonly change: RecordFactorChange,
  ) {}

  /** @returns undefined for a user who has none, of whom nothing changes */
  async execute(tx: Tx, change: AccessOfUser, user: LockedUser): Promise<ResourceDetails | undefined> {
    if (!(await this.factors.removeAll(tx, change.orgId, change.userId))) return undefined;
    await this.access.ofUser(tx, change, 'factors_reset');
    return await this.change.execute(tx, change, user, {
      type: 'user.human.factors.reset',
      template: 'factors_reset',
    });
  }
}
