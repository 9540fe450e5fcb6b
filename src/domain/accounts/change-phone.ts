import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { HumanUser } from '../users/user.js';
import { OweVerification } from '../users/verification/owe-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { AccountsStore } from './accounts.store.js';
import { type AccountChange, HoldAccount, requireHuman } from './hold-account.js';

/** Sets and removes a phone number. One that nobody vouches for is unverified and is owed its code. */
@Injectable()
export class ChangePhone {
  constructor(
    private readonly account: HoldAccount,
    private readonly accounts: AccountsStore,
    private readonly codes: VerificationCodesStore,
    private readonly oweVerification: OweVerification,
  ) {}

  /** @throws ApiError not-found, failed-precondition for a service user */
  async replace(
    tx: Tx,
    change: AccountChange,
    phone: NonNullable<HumanUser['phone']>,
  ): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.holdCovered(tx, change));
    const before = user.is.phone;
    // the number as it is stays as verified as it is, unless somebody vouches for it
    const same = before?.number === phone.number;
    const verified = phone.verified || (same && before.verified);
    const details = await this.accounts.replacePhone(tx, user, { number: phone.number, verified });
    if (verified) await this.codes.endLive(tx, user.id, 'verify_phone');
    else if (!same) await this.oweCode(tx, change, phone.number);
    await this.account.record(tx, change, details, 'user.human.phone.changed', ['phone']);
    return details;
  }

  /** @throws ApiError not-found for a user without one */
  async remove(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.holdCovered(tx, change));
    if (user.is.phone === undefined) throw phoneNotFound();
    const details = await this.accounts.replacePhone(tx, user, undefined);
    await this.codes.endLive(tx, user.id, 'verify_phone');
    await this.account.record(tx, change, details, 'user.human.phone.removed', ['phone']);
    return details;
  }

  private async oweCode(tx: Tx, { orgId, userId }: AccountChange, target: string): Promise<void> {
    await this.oweVerification.execute(tx, { orgId, userId, purpose: 'verify_phone', target });
  }
}

export function phoneNotFound(): ApiError {
  return new ApiError('not-found', 'Phone not found', 'COMMAND-2b7Hf');
}
