import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EvaluateCode } from '../users/verification/evaluate-code.js';
import { CodeRefused } from '../users/verification/use-email-code.js';
import { VerifyEmail } from '../users/verification/verify-email.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/** Verifies an address with the code alone: the token says whose it must be. */
@Injectable()
export class VerifyOwnEmail {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly verifyEmail: VerifyEmail,
    private readonly account: AccountChanges,
  ) {}

  /** Counts the try. @throws ApiError invalid-argument for a wrong code, failed-precondition when there is none */
  async prepare(change: AccountChange, typed: string): Promise<(tx: Tx) => Promise<ResourceDetails>> {
    const verdict = await this.evaluateCode.evaluateOf(change.userId, 'verify_email', typed);
    if (verdict.kind === 'wrong-code') throw wrongCode();
    if (verdict.kind === 'link-over') throw codeOver();
    const { code } = verdict;
    return async (tx) => {
      try {
        await this.verifyEmail.confirm(tx, code);
      } catch (error) {
        if (!(error instanceof CodeRefused)) throw error;
        throw error.kind === 'email-taken'
          ? new ApiError('already-exists', 'Email already exists', 'V3-DKcYh')
          : codeOver();
      }
      return (await this.account.lockForUpdate(tx, change)).details;
    };
  }
}

export function wrongCode(): ApiError {
  return new ApiError('invalid-argument', 'Code is invalid', 'CODE-woT0xc');
}

/** Used, replaced, expired, tried too often or never sent: which one is nobody's business. */
export function codeOver(): ApiError {
  return new ApiError('failed-precondition', 'Code is no longer valid', 'CODE-QvUQ4P');
}
