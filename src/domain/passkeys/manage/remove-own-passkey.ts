import { Injectable } from '@nestjs/common';
import { RequireFactorLeft } from '../../factors/require-factor-left.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { PasskeyId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { RequireSignInMethod } from '../../users/sign-in-methods/require-sign-in-method.js';
import { RemovePasskey, type PasskeyChange } from './remove-passkey.js';

/** Users remove a passkey of their own, and must be able to sign in without it, if it signs them in. */
@Injectable()
export class RemoveOwnPasskey {
  constructor(
    private readonly removePasskey: RemovePasskey,
    private readonly signInMethods: RequireSignInMethod,
    private readonly factorLeft: RequireFactorLeft,
  ) {}

  /** @throws ApiError not-found, failed-precondition for the last factor, where one is required, and for the last way in */
  async execute(tx: Tx, change: PasskeyChange, id: PasskeyId): Promise<ResourceDetails> {
    return await this.removePasskey.execute(tx, change, id, async (remove) => {
      const details = await this.signInMethods.keepOne(tx, change.userId, remove);
      await this.factorLeft.check(tx, change.userId);
      return details;
    });
  }
}
