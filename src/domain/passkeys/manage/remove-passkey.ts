import { Injectable } from '@nestjs/common';
import { FactorsStore } from '../../factors/factors.store.js';
import { RecordFactorChange } from '../../factors/record-factor-change.js';
import type { Acting } from '../../permissions/acting.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { OrgId, PasskeyId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { LockCoveredUserForUpdate } from '../../users/lock-covered-user-for-update.js';
import { PasskeysStore } from '../passkeys.store.js';

/** Somebody changes the passkeys of a user: the user, or a manager. */
export interface PasskeyChange extends Acting {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

/** A passkey of nobody, and one of another user, alike. */
export function passkeyNotFound(): ApiError {
  return new ApiError('not-found', 'Passkey could not be found', 'QUERY-Pk7f2');
}

/** What goes with the removal of a passkey, whoever removes it. Nobody signs in with it from the commit on. */
@Injectable()
export class RemovePasskey {
  constructor(
    private readonly lock: LockCoveredUserForUpdate,
    private readonly passkeys: PasskeysStore,
    private readonly factors: FactorsStore,
    private readonly recordChange: RecordFactorChange,
  ) {}

  /**
   * @param around what goes before and after it, with the user's row locked
   * @throws ApiError not-found, permission-denied
   */
  async execute(
    tx: Tx,
    change: PasskeyChange,
    id: PasskeyId,
    around: (remove: () => Promise<ResourceDetails>) => Promise<ResourceDetails>,
  ): Promise<ResourceDetails> {
    const { orgId, userId } = change;
    const user = await this.lock.execute(tx, change);
    const details = await around(async () => {
      const removed = await this.passkeys.remove(tx, orgId, userId, id);
      if (removed === undefined) throw passkeyNotFound();
      return removed;
    });
    await this.factors.dropIdleRecoveryCodes(tx, userId);
    await this.recordChange.execute(tx, change, user, {
      type: 'user.human.passkey.removed',
      template: 'passkey_removed',
      data: { passkeyId: id },
    });
    return details;
  }
}
