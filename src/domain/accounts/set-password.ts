import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { defaultAttemptPolicy } from '../passwords/attempt-policy.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { JudgeNewPassword } from '../users/judge-new-password.js';
import { UsersStore } from '../users/users.store.js';
import { EnqueueVerification } from '../users/verification/enqueue-verification.js';
import { VerificationCodesStore } from '../users/verification/verification-codes.store.js';
import { tooSoon } from './change-email.js';
import { LockAccount, requireHuman, type AccountChange } from './lock-account.js';

export interface PreparedPassword {
  readonly hash: string;
  readonly changeRequired: boolean;
}

/**
 * A password that a manager sets, or has the user set anew. Whoever knew the one before is out: sessions, tokens and
 * grants end, and the owner is told by mail.
 */
@Injectable()
export class SetPassword {
  constructor(
    private readonly account: LockAccount,
    private readonly users: UsersStore,
    private readonly judge: JudgeNewPassword,
    private readonly hashing: PasswordHashing,
    private readonly passwords: PasswordsStore,
    private readonly access: EndAccess,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly enqueueVerification: EnqueueVerification,
  ) {}

  /** Without a transaction: hashing takes its time. @throws ApiError invalid-argument, HashingOverloaded */
  async prepare(
    { orgId, userId }: AccountChange,
    password: string,
    changeRequired: boolean,
    source: string,
  ): Promise<PreparedPassword> {
    const bill = HashingBill.administration(orgId, source);
    await this.judge.require({ orgId, user: userId, password, bill });
    return { hash: await this.hashing.hash(password, bill), changeRequired };
  }

  /** @throws ApiError not-found, permission-denied, failed-precondition for who is shut out */
  async execute(
    tx: Tx,
    change: AccountChange,
    { hash, changeRequired }: PreparedPassword,
  ): Promise<ResourceDetails> {
    const { orgId, userId } = change;
    requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) throw shutOut();
    const { scheme, weak } = this.hashing.inspect(hash);
    await this.passwords.set(tx, { orgId, userId, hash, scheme, weak, changeRequired });
    await this.passwords.clearAttempts(tx, orgId, userId, defaultAttemptPolicy);
    await this.access.ofUser(tx, change, 'password_changed');
    await this.codes.endLive(tx, userId, 'reset_password');
    await this.codes.endLive(tx, userId, 'initialise');
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'password_changed' });
    await this.account.record(tx, change, details, 'user.human.password.set', ['password']);
    return details;
  }

  /** Mails a code for a new password; the present one holds until it is used. @throws ApiError as `execute` */
  async sendReset(tx: Tx, change: AccountChange): Promise<ResourceDetails> {
    const user = requireHuman(await this.account.lockCoveredForUpdate(tx, change));
    const { orgId, userId } = change;
    if (user.state !== 'active' && user.state !== 'initial') throw shutOut();
    const purpose = user.state === 'initial' ? 'initialise' : 'reset_password';
    const verification = { orgId, userId, purpose, target: user.email.address } as const;
    if (!(await this.enqueueVerification.executeUnlessRecent(tx, verification))) throw tooSoon();
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: false });
    if (details === undefined) throw shutOut();
    await this.account.record(tx, change, details, 'user.human.password.reset_requested');
    return details;
  }
}

function shutOut(): ApiError {
  return new ApiError('failed-precondition', 'User is not active or initial', 'COMMAND-3NN8v');
}
