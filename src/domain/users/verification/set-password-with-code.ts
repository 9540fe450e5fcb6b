import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy } from '../../passwords/attempt-policy.js';
import { HashingBill } from '../../passwords/hashing-bill.js';
import { PasswordHashing } from '../../passwords/password-hashing.js';
import { isTooLong, type PasswordRuleName } from '../../passwords/password-policy.js';
import { PasswordsStore } from '../../passwords/passwords.store.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { OrgId } from '../../shared/ids.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { EndAccess } from '../end-access.js';
import { JudgeNewPassword } from '../judge-new-password.js';
import type { CodeVerdict } from './evaluate-code.js';
import { CodeRefused, UseEmailCode } from './use-email-code.js';
import { VerificationCodesStore, type CodeToEvaluate } from './verification-codes.store.js';

export type SetPasswordResult =
  | { readonly kind: 'done'; readonly code: CodeToEvaluate }
  | { readonly kind: 'password-too-long' }
  | { readonly kind: 'password-too-weak'; readonly unmet: readonly PasswordRuleName[] }
  /** Another user of the organization has verified the address meanwhile: only an administrator can help. */
  | { readonly kind: 'email-taken' }
  | Exclude<CodeVerdict, { kind: 'right' }>;

export interface SetPasswordCommand {
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
  /** Whose rules the page showed; for a code that proves a user of another one, theirs are asked as well. */
  readonly shownRulesOf: OrgId;
  /** Counts the try and holds the typed code against the right one. */
  readonly evaluate: () => Promise<CodeVerdict>;
  /** What else belongs into the transaction: the event, and whoever is to be told. */
  readonly onStored: (tx: Tx, code: CodeToEvaluate, details: ResourceDetails) => Promise<void>;
}

/**
 * A password set with the code of a mail, be it the first one or one in place of a forgotten one. In one transaction
 * the code is used up, the address verified, the password replaced, and all that the one before let in ended. The policy
 * is asked before the code, so that a weak password costs no try; hashing comes after it, so that guessing codes costs us
 * nothing.
 */
@Injectable()
export class SetPasswordWithCode {
  constructor(
    private readonly useEmailCode: UseEmailCode,
    private readonly codes: VerificationCodesStore,
    private readonly judge: JudgeNewPassword,
    private readonly hashing: PasswordHashing,
    private readonly passwords: PasswordsStore,
    private readonly access: EndAccess,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Throws HashingOverloaded. */
  async execute({
    password,
    source,
    shownRulesOf,
    evaluate,
    onStored,
  }: SetPasswordCommand): Promise<SetPasswordResult> {
    if (isTooLong(password)) return { kind: 'password-too-long' };
    const unmet = await this.judge.brokenRules(shownRulesOf, password);
    if (unmet.length > 0) return { kind: 'password-too-weak', unmet };
    const verdict = await evaluate();
    if (verdict.kind !== 'right') return verdict;
    const { code } = verdict;
    const { orgId, userId } = code;
    const bill = HashingBill.page(orgId, source);
    const own = await this.judge.missed({ orgId, user: userId, password, bill }, shownRulesOf);
    if (own.length > 0) return { kind: 'password-too-weak', unmet: own };
    const hash = await this.hashing.hash(password, bill);
    try {
      await this.unitOfWork.run(async (tx) => onStored(tx, code, await this.store(tx, code, hash)));
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: error.kind };
      throw error;
    }
    return { kind: 'done', code };
  }

  private async store(tx: Tx, code: CodeToEvaluate, hash: string): Promise<ResourceDetails> {
    const { orgId, userId } = code;
    const details = await this.useEmailCode.execute(tx, code, { newPassword: true });
    // who has none was never let in
    const isFirst = (await this.passwords.findByUser(userId)) === undefined;
    const { scheme, weak } = this.hashing.inspect(hash);
    const encoded = { hash, scheme, weak };
    // an invitation resets nothing, since its mailbox is all that is known of somebody who was never let in; nor has a mailbox shown
    // anything by a link that an administrator handed out
    const reset = code.purpose === 'initialise' || !code.provesAddress ? {} : { resetByEmail: true as const };
    await this.passwords.set(tx, { ...encoded, orgId, userId, changeRequired: false, ...reset });
    // guesses at the password before say nothing about this one
    await this.passwords.clearAttempts(tx, orgId, userId, defaultAttemptPolicy);
    if (!isFirst) await this.access.ofUser(tx, { orgId, userId, actorId: userId }, 'password_changed');
    await this.codes.endLive(tx, userId, 'verify_email');
    return details;
  }
}
