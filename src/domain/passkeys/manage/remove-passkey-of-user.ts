import { Injectable } from '@nestjs/common';
import { requireOtherAccount } from '../../permissions/require-other-account.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { PasskeyId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { EndAccess } from '../../users/end-access.js';
import { RemovePasskey, type PasskeyChange } from './remove-passkey.js';

/** A manager removes a passkey of a user. It may be compromised: all access of the user ends as well. */
@Injectable()
export class RemovePasskeyOfUser {
  constructor(
    private readonly removePasskey: RemovePasskey,
    private readonly access: EndAccess,
  ) {}

  /** @throws ApiError not-found, permission-denied, failed-precondition for one's own */
  async execute(tx: Tx, change: PasskeyChange, id: PasskeyId): Promise<ResourceDetails> {
    requireOtherAccount(change, 'factors');
    return await this.removePasskey.execute(tx, change, id, async (remove) => {
      const details = await remove();
      await this.access.ofUser(tx, change, 'passkey_removed');
      return details;
    });
  }
}
