import { Injectable } from '@nestjs/common';
import { SmsLimitsStore } from '../../notifications/abuse/sms-limits.store.js';
import type { CodeFactorKind } from '../../policies/factor-policy.js';
import { UsersStore } from '../../users/users.store.js';
import { EvaluateCode } from '../../users/verification/evaluate-code.js';
import { VerificationCodesStore } from '../../users/verification/verification-codes.store.js';
import type { ShownFactor } from '../shown-factor.js';
import { CODE_FACTORS, type CodePlace } from './code-factor.js';

/** Codes that were sent by e-mail or SMS: each is good once, where it was asked for, while its address is still the user's. */
@Injectable()
export class FactorCodes {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly codes: VerificationCodesStore,
    private readonly users: UsersStore,
    private readonly limits: SmsLimitsStore,
  ) {}

  /** Counts a try of the code, of which there are five. @throws CodeNotChecked */
  async evaluate(
    { orgId, userId, boundTo }: CodePlace,
    kind: CodeFactorKind,
    typed: string,
  ): Promise<ShownFactor | undefined> {
    const { purpose, proof, targetOf } = CODE_FACTORS[kind];
    const verdict = await this.evaluateCode.evaluateFactor(userId, purpose, boundTo, typed);
    if (verdict.kind !== 'right') return undefined;
    const { id, target } = verdict.code;
    return {
      kind: proof,
      use: async (tx) => {
        // the user's row before their codes, as every change of a user does: two at once must not wait in a circle
        const user = await this.users.lockForUpdate(tx, orgId, userId);
        if (user?.type !== 'human' || targetOf(user) !== target) return false;
        if (!(await this.codes.end(tx, id))) return false;
        if (kind === 'sms') await this.limits.recordVerified(tx, id);
        return true;
      },
    };
  }
}
