import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EvaluateCode } from '../users/verification/evaluate-code.js';
import { CodeRefused } from '../users/verification/use-email-code.js';
import { UsePhoneCode } from '../users/verification/use-phone-code.js';
import type { AccountChange } from './account-changes.js';
import { codeOver, wrongCode } from './verify-own-email.js';

/** Verifies a phone number with the code alone: the token says whose it must be. */
@Injectable()
export class VerifyOwnPhone {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly usePhoneCode: UsePhoneCode,
  ) {}

  /**
   * Counts the try.
   * @throws ApiError invalid-argument for a wrong code, failed-precondition when there is none, unavailable when the
   * provider that made it cannot be asked
   */
  async prepare({ userId }: AccountChange, typed: string): Promise<(tx: Tx) => Promise<ResourceDetails>> {
    const verdict = await this.evaluateCode.evaluateOwn(userId, 'verify_phone', typed);
    if (verdict.kind === 'wrong-code') throw wrongCode();
    if (verdict.kind === 'link-over') throw codeOver();
    const { code } = verdict;
    return async (tx) => {
      try {
        return await this.usePhoneCode.execute(tx, code);
      } catch (error) {
        throw error instanceof CodeRefused ? codeOver() : error;
      }
    };
  }
}
