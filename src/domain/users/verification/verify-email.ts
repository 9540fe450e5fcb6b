import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { EvaluateCode, type CodeVerdict } from './evaluate-code.js';
import { CodeRefused, UseEmailCode } from './use-email-code.js';
import type { CodeToEvaluate } from './verification-codes.store.js';

type VerifyEmailResult =
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

  /** With the link of the mail: the code proves the person. */
  async execute(linkId: string, typedCode: string): Promise<VerifyEmailResult> {
    const verdict = await this.evaluate(linkId, typedCode);
    if (verdict.kind !== 'right') return verdict;
    const { code } = verdict;
    try {
      await this.unitOfWork.run((tx) => this.confirm(tx, code));
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: error.kind };
      throw error;
    }
    return { kind: 'done', orgId: code.orgId, userId: code.userId };
  }

  async evaluate(linkId: string, typedCode: string): Promise<CodeVerdict> {
    return await this.evaluateCode.evaluate(linkId, 'verify_email', typedCode);
  }

  /** The change that a right code allows, in the transaction of what follows. @throws CodeRefused */
  async confirm(tx: Tx, code: CodeToEvaluate): Promise<void> {
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
  }
}
