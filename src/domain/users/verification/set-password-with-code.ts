import { Injectable } from '@nestjs/common';
import { HashingBill } from '../../passwords/hashing/hashing-bill.js';
import { PasswordsStore, type EncodedPassword } from '../../passwords/passwords.store.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { OrgId } from '../../shared/ids.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { NewPasswords, type NewPasswordRefusal } from '../new-passwords/new-passwords.js';
import { StoreNewPassword } from '../new-passwords/store-new-password.js';
import type { CodeVerdict } from './evaluate-code.js';
import { CodeRefused, UseEmailCode } from './use-email-code.js';
import { VerificationCodesStore, type CodeToEvaluate } from './verification-codes.store.js';

export type SetPasswordResult =
  | { readonly kind: 'done'; readonly code: CodeToEvaluate }
  | NewPasswordRefusal
  /** Another user of the organization has verified the address meanwhile: only an administrator can help. */
  | { readonly kind: 'email-taken' }
  | Exclude<CodeVerdict, { kind: 'right' }>;

interface SetPasswordCommand {
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
  /** Whose rules the page showed; for a code that proves a user of another one, theirs are asked as well. */
  readonly shownRulesOf: OrgId;
  /** Counts the try and holds the typed code against the right one. */
  readonly evaluate: () => Promise<CodeVerdict>;
  /** What else belongs in the transaction: the event and the notifications. */
  readonly onStored: (tx: Tx, code: CodeToEvaluate, details: ResourceDetails) => Promise<void>;
}

/**
 * A password set with the code of a mail, be it the first one or one in place of a forgotten one. In one transaction
 * the code is consumed, the address verified, the password replaced, and all access of the previous one ended. The policy
 * is checked before the code, so that a weak password costs no attempt; hashing comes after it, so that guessing codes costs us
 * nothing.
 */
@Injectable()
export class SetPasswordWithCode {
  constructor(
    private readonly useEmailCode: UseEmailCode,
    private readonly codes: VerificationCodesStore,
    private readonly newPasswords: NewPasswords,
    private readonly passwords: PasswordsStore,
    private readonly storeNewPassword: StoreNewPassword,
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
    const refusal = await this.newPasswords.refusal(shownRulesOf, password);
    if (refusal !== undefined) return refusal;
    const verdict = await evaluate();
    if (verdict.kind !== 'right') return verdict;
    const { code } = verdict;
    const { orgId, userId } = code;
    const bill = HashingBill.page(orgId, source);
    const judged = await this.newPasswords.accept({ orgId, user: userId, password, bill }, shownRulesOf);
    if (judged.kind !== 'accepted') return judged;
    const { encoded } = judged;
    try {
      await this.unitOfWork.run(async (tx) => onStored(tx, code, await this.store(tx, code, encoded)));
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: error.kind };
      throw error;
    }
    return { kind: 'done', code };
  }

  private async store(tx: Tx, code: CodeToEvaluate, encoded: EncodedPassword): Promise<ResourceDetails> {
    const { orgId, userId } = code;
    const details = await this.useEmailCode.execute(tx, code, { newPassword: true });
    // an invited user without a password has never had access; another one may have signed in by a passkey or a provider
    const isFirst = code.purpose === 'initialise' && (await this.passwords.findByUser(userId)) === undefined;
    // an invitation is no reset, since its user never had access; neither is a link that an administrator
    // handed out, since it does not prove the mailbox
    const reset = code.purpose === 'initialise' || !code.provesAddress ? {} : { resetByEmail: true as const };
    const password = { ...encoded, orgId, userId, changeRequired: false, madeBy: null, ...reset };
    if (isFirst) await this.storeNewPassword.setFirst(tx, password);
    else await this.storeNewPassword.replace(tx, password, userId);
    await this.codes.endLive(tx, userId, 'verify_email');
    return details;
  }
}
