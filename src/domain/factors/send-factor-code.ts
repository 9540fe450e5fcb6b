import { Injectable } from '@nestjs/common';
import { SmsLimitSettings } from '../notifications/abuse/sms-limit-settings.js';
import type { CodeFactorKind } from '../policies/factor-policy.js';
import { Log } from '../shared/log.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { User } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import { RESEND_SECONDS } from '../users/verification/ask-to-verify-email.js';
import { EnqueueVerification } from '../users/verification/enqueue-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { CODE_FACTORS, type CodePlace } from './code-factor.js';
import { FactorSms } from './factor-sms.js';

/** How it stands with the code that somebody is asked for. */
export interface FactorCodeState {
  /** Where it goes, for the page to show masked; undefined where nothing is verified. */
  readonly target: string | undefined;
  /** One is under way that is good here. */
  readonly isSent: boolean;
  /** When another one can be had; 0 or less: at once. */
  readonly availableInSeconds: number;
}

/**
 * Sends the code of a second factor to its user's verified address, within the limits of all messages: a mail a minute
 * and five an hour, and the caps on SMS (security S136-S140). A code is good in the place that asked for it.
 */
@Injectable()
export class SendFactorCode {
  constructor(
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly sms: FactorSms,
    private readonly smsSettings: SmsLimitSettings,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  async stateOf({ orgId, userId, boundTo }: CodePlace, kind: CodeFactorKind): Promise<FactorCodeState> {
    const { purpose } = CODE_FACTORS[kind];
    const target = targetOf(await this.users.find(orgId, userId), kind);
    const live = await this.codes.findLive(userId, purpose);
    const cooldown = kind === 'sms' ? this.smsSettings.cooldownSeconds : RESEND_SECONDS;
    return {
      target,
      isSent: live?.flowId === boundTo && live.usable && live.target === target,
      availableInSeconds: live === undefined ? 0 : cooldown - live.ageSeconds,
    };
  }

  /**
   * Sends one where none is under way: coming back to the page is no reason for another. Never rejects: the page can have one sent,
   * and an error in place of the page would cost a browser the new secret of its sign-in.
   *
   * @param source where the request came from, as `addressGroup` says it
   */
  async unlessSent(place: CodePlace, kind: CodeFactorKind, source: string): Promise<void> {
    try {
      if (!(await this.stateOf(place, kind)).isSent) await this.again(place, kind, source);
    } catch (error) {
      this.log.error('no code could be sent for a second factor', error, { userId: place.userId, kind });
    }
  }

  /** Sends another one, which takes the place of the former. @returns false where it is too soon for that, or nothing can be sent */
  async again(place: CodePlace, kind: CodeFactorKind, source: string): Promise<boolean> {
    const { orgId, userId, boundTo: flowId } = place;
    const target = targetOf(await this.users.find(orgId, userId), kind);
    if (target === undefined) return false;
    if (kind === 'sms') return await this.sms.send(place, target, source);
    const code = {
      orgId,
      userId,
      purpose: 'second_factor_email',
      target,
      flowId,
      askedFrom: source,
    } as const;
    return await this.unitOfWork.run((tx) => this.enqueueVerification.executeUnlessRecent(tx, code));
  }
}

function targetOf(user: User | undefined, kind: CodeFactorKind): string | undefined {
  return user?.type === 'human' ? CODE_FACTORS[kind].targetOf(user) : undefined;
}
