import { Injectable } from '@nestjs/common';
import { SmsLimitSettings } from '../../notifications/abuse/sms-limit-settings.js';
import type { CodeFactorKind } from '../../policies/factor-policy.js';
import type { User } from '../../users/user.js';
import { UsersStore } from '../../users/users.store.js';
import { RESEND_SECONDS } from '../../users/verification/ask-to-verify-email.js';
import { VerificationCodesStore } from '../../users/verification/verification-codes.store.js';
import { CODE_FACTORS, type CodePlace } from './code-factor.js';

/** How it stands with the code that somebody is asked for. */
export interface FactorCodeState {
  /** Where it goes, for the page to show masked; undefined where nothing is verified. */
  readonly target: string | undefined;
  /** One is under way that is good here. */
  readonly isSent: boolean;
  /** When another one can be had; 0 or less: at once. */
  readonly availableInSeconds: number;
}

/** The code of a second factor that is under way to its user. */
@Injectable()
export class FindFactorCode {
  constructor(
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
    private readonly smsSettings: SmsLimitSettings,
  ) {}

  async stateOf({ orgId, userId, boundTo }: CodePlace, kind: CodeFactorKind): Promise<FactorCodeState> {
    const { purpose } = CODE_FACTORS[kind];
    const target = targetOf(await this.users.find(orgId, userId), kind);
    const live = await this.codes.findLive(userId, purpose);
    // one that was used a moment ago, on another page or as another proof, keeps the next one waiting as well
    const ageSeconds =
      live?.ageSeconds ??
      (target === undefined ? undefined : await this.codes.newestAge(userId, purpose, target));
    const cooldown = kind === 'sms' ? this.smsSettings.cooldownSeconds : RESEND_SECONDS;
    return {
      target,
      isSent: live?.flowId === boundTo && live.usable && live.target === target,
      availableInSeconds: ageSeconds === undefined ? 0 : cooldown - ageSeconds,
    };
  }
}

export function targetOf(user: User | undefined, kind: CodeFactorKind): string | undefined {
  return user?.type === 'human' ? CODE_FACTORS[kind].targetOf(user) : undefined;
}
