import { Injectable } from '@nestjs/common';
import { AdmitSms } from '../notifications/abuse/admit-sms.js';
import { BlockPrefixes } from '../notifications/abuse/block-prefixes.js';
import type { WantedSms } from '../notifications/abuse/sms-caps.js';
import { smsRefused } from '../notifications/abuse/sms-refused.js';
import { SmsProviders } from '../notifications/providers/sms-providers.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { phoneNotFound } from '../users/find-user.js';
import type { User } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import { EnqueuePhoneVerification } from '../users/verification/enqueue-phone-verification.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/**
 * Sends another code to the number of a user, for themselves or for a manager (spec "Resend phone verification"). It
 * takes the place of the one before. Whoever asks has no say in where it goes.
 */
@Injectable()
export class ResendPhoneCode {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly providers: SmsProviders,
    private readonly admitSms: AdmitSms,
    private readonly blockPrefixes: BlockPrefixes,
    private readonly enqueuePhoneVerification: EnqueuePhoneVerification,
  ) {}

  /**
   * Refuses what can be refused without a transaction, so that a flood of calls waits for no lock.
   *
   * @param source where users ask from for themselves; undefined for a manager
   * @throws ApiError not-found without a number, failed-precondition when it is verified or nothing can send to it,
   * resource-exhausted for a limit
   */
  async prepare(
    change: AccountChange,
    source: string | undefined,
  ): Promise<(tx: Tx) => Promise<ResourceDetails>> {
    const found = await this.users.find(change.orgId, change.userId);
    const mode = await this.providers.mode();
    const wantedOf = (user: User): WantedSms => ({
      orgId: user.orgId,
      userId: user.id,
      number: numberToVerify(user),
      origin: source === undefined ? 'manager' : 'self',
      again: true,
      source,
    });
    if (found !== undefined) {
      const wanted = wantedOf(found);
      if (mode.kind === 'none') throw noProvider();
      if (wanted.origin === 'self') await this.blockPrefixes.watch(wanted.number);
      const refusal = await this.admitSms.peek(wanted);
      if (refusal !== undefined) throw smsRefused(refusal);
    }
    return async (tx) => {
      const user = await this.account.lockForUpdate(tx, change);
      const wanted = wantedOf(user);
      const refusal = await this.enqueuePhoneVerification.execute(tx, mode, wanted);
      if (refusal !== undefined) throw smsRefused(refusal);
      const details = await this.users.countChange(tx, user);
      await this.account.record(tx, change, details, 'user.human.phone.code.added');
      return details;
    };
  }
}

/** @throws ApiError not-found, failed-precondition */
function numberToVerify(user: User): string {
  if (user.type !== 'human' || user.phone === undefined) throw phoneNotFound();
  if (user.phone.verified) {
    throw new ApiError('failed-precondition', 'Phone already verified', 'COMMAND-2M9sf');
  }
  return user.phone.number;
}

/** Spec: "A notification provider must be configured." */
function noProvider(): ApiError {
  return new ApiError('failed-precondition', 'no SMS provider is configured', 'SMS-Np7sk');
}
