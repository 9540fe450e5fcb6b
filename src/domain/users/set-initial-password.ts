import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { defaultAttemptPolicy } from '../passwords/attempt-policy.js';
import { PasswordAttemptsStore } from '../passwords/password-attempts.store.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { defaultPasswordPolicy, isTooLong, type PasswordRuleName } from '../passwords/password-policy.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { type Tx, UnitOfWork } from '../shared/unit-of-work.js';
import { missedPasswordRules } from './missed-password-rules.js';
import { type CodeVerdict, EvaluateCode } from './verification/evaluate-code.js';
import { CodeRefused, UseEmailCode } from './verification/use-email-code.js';
import { type CodeToEvaluate, VerificationCodesStore } from './verification/verification-codes.store.js';

export interface SetInitialPasswordCommand {
  /** `id` of the mail's link. */
  readonly linkId: string;
  readonly code: string;
  readonly password: string;
}

export type SetInitialPasswordResult =
  | { readonly kind: 'done'; readonly orgId: OrgId; readonly userId: UserId }
  | { readonly kind: 'password-too-long' }
  | { readonly kind: 'password-too-weak'; readonly unmet: readonly PasswordRuleName[] }
  /** Another user of the organization has verified the address meanwhile: only an administrator can help. */
  | { readonly kind: 'email-taken' }
  | Exclude<CodeVerdict, { kind: 'right' }>;

/**
 * The first password of an imported user, set with the code of the initialisation mail. It verifies the address
 * as well and makes the user active. The policy is asked before the code, so that a weak password costs no try;
 * hashing comes after it, so that guessing codes costs us nothing.
 */
@Injectable()
export class SetInitialPassword {
  constructor(
    private readonly evaluateCode: EvaluateCode,
    private readonly useEmailCode: UseEmailCode,
    private readonly codes: VerificationCodesStore,
    private readonly hashing: PasswordHashing,
    private readonly passwords: PasswordsStore,
    private readonly attempts: PasswordAttemptsStore,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Throws HashingOverloaded. */
  async execute(command: SetInitialPasswordCommand): Promise<SetInitialPasswordResult> {
    if (isTooLong(command.password)) return { kind: 'password-too-long' };
    const unmet = missedPasswordRules(defaultPasswordPolicy, command.password);
    if (unmet.length > 0) return { kind: 'password-too-weak', unmet };
    const verdict = await this.evaluateCode.evaluate(command.linkId, 'initialise', command.code);
    if (verdict.kind !== 'right') return verdict;
    const { code } = verdict;
    const hash = await this.hashing.hash(command.password);
    try {
      await this.unitOfWork.run((tx) => this.store(tx, code, hash));
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: error.kind };
      throw error;
    }
    return { kind: 'done', orgId: code.orgId, userId: code.userId };
  }

  private async store(tx: Tx, code: CodeToEvaluate, hash: string): Promise<void> {
    const { orgId, userId } = code;
    const { sequence } = await this.useEmailCode.execute(tx, code, { newPassword: true });
    const { scheme, weak } = this.hashing.inspect(hash);
    await this.passwords.set(tx, { orgId, userId, hash, scheme, weak, changeRequired: false });
    // guesses at the password before say nothing about this one
    await this.attempts.clear(tx, orgId, userId, defaultAttemptPolicy);
    await this.codes.endLive(tx, userId, 'verify_email');
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence,
      type: 'user.human.initialised',
      actorId: userId,
      fields: ['password', 'emailVerified', 'state'],
    });
  }
}
