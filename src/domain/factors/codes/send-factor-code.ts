import { Injectable } from '@nestjs/common';
import type { CodeFactorKind } from '../../policies/factor-policy.js';
import { Log } from '../../shared/log.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { UsersStore } from '../../users/users.store.js';
import { EnqueueVerification } from '../../users/verification/enqueue-verification.js';
import type { CodePlace } from './code-factor.js';
import { FactorSms } from './factor-sms.js';
import { FindFactorCode, targetOf } from './find-factor-code.js';

/**
 * Sends the code of a second factor to its user's verified address, within the limits of all messages: a mail a minute
 * and five an hour, and the caps on SMS (security S136-S140). A code is good in the place that asked for it.
 */
@Injectable()
export class SendFactorCode {
  constructor(
    private readonly users: UsersStore,
    private readonly findCode: FindFactorCode,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly sms: FactorSms,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /**
   * Sends one where none is under way: coming back to the page is no reason for another. Never rejects: the page can have one sent,
   * and an error in place of the page would cost a browser the new secret of its sign-in.
   *
   * @param source where the request came from, as `addressGroup` says it
   */
  async unlessSent(place: CodePlace, kind: CodeFactorKind, source: string): Promise<void> {
    try {
      if (!(await this.findCode.stateOf(place, kind)).isSent) await this.again(place, kind, source);
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
