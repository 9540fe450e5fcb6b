import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { type CodeVerdict, EvaluateCode } from './verification/evaluate-code.js';
import { CodeRefused, UseEmailCode } from './verification/use-email-code.js';

export type VerifyEmailResult =
  | { readonly kind: 'done'; readonly orgId: OrgId; readonly userId: UserId }
  /** Another user of the organization has verified the address meanwhile. */
  | { readonly kind: 'email-taken' }
  | Exclude<CodeVerdict, { kind: 'right' }>;

/** Verifies an address with the code that was sent to it. It then is a name to sign in with, too. */
@Injectable()
export class VerifyEmail {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly useEmailCode: UseEmailCode,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  async execute(linkId: string, typedCode: string): Promise<VerifyEmailResult> {
    const verdict = await this.evaluateCode.evaluate(linkId, 'verify_email', typedCode);
    if (verdict.kind !== 'right') return verdict;
    const { code } = verdict;
    try {
      await this.unitOfWork.run(async (tx) => {
        const { sequence } = await this.useEmailCode.execute(tx, code, { newPassword: false });
        await this.events.append(tx, {
          orgId: code.orgId,
          aggregateType: 'user',
          aggregateId: code.userId,
          sequence,
          type: 'user.human.email.verified',
          actorId: code.userId,
          fields: ['emailVerified'],
        });
      });
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: error.kind };
      throw error;
    }
    return { kind: 'done', orgId: code.orgId, userId: code.userId };
  }
}
