import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { defaultAttemptPolicy } from '../passwords/attempt-policy.js';
import { CheckPassword } from '../passwords/check-password.js';
import type { HashingBill } from '../passwords/hashing-bill.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { isTooLong, type PasswordRuleName } from '../passwords/password-policy.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { JudgeNewPassword } from '../users/judge-new-password.js';
import { UsersStore } from '../users/users.store.js';

export interface ChangePasswordCommand {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly current: string;
  readonly next: string;
  readonly bill: HashingBill;
}

export type PreparedPasswordChange =
  | {
      readonly kind: 'ready';
      /**
       * Writes it, in the transaction of whatever goes on from it. False, and nothing written, when the password was
       * changed by somebody else meanwhile or the user is shut out.
       */
      readonly apply: (tx: Tx) => Promise<boolean>;
    }
  | { readonly kind: 'current-wrong' }
  | { readonly kind: 'password-unchanged' }
  | { readonly kind: 'password-too-long' }
  | { readonly kind: 'password-too-weak'; readonly unmet: readonly PasswordRuleName[] };

/**
 * A new password by somebody who knows the present one. Every session, token and grant of
 * the user ends with it, applications hear of it, and the owner is told by mail. Whoever changed it goes on with a
 * session that begins then.
 */
@Injectable()
export class ChangePassword {
  constructor(
    private readonly checkPassword: CheckPassword,
    private readonly hashing: PasswordHashing,
    private readonly judge: JudgeNewPassword,
    private readonly passwords: PasswordsStore,
    private readonly access: EndAccess,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** The policy is asked before the present password, so that a weak choice costs no attempt. @throws HashingOverloaded */
  async prepare({
    orgId,
    userId,
    current,
    next,
    bill,
  }: ChangePasswordCommand): Promise<PreparedPasswordChange> {
    if (isTooLong(next)) return { kind: 'password-too-long' };
    const unmet = await this.judge.brokenRules(orgId, next);
    if (unmet.length > 0) return { kind: 'password-too-weak', unmet };
    const { matches, setAt } = await this.checkPassword.check(userId, current, bill);
    if (!matches || setAt === undefined) return { kind: 'current-wrong' };
    if (current === next) return { kind: 'password-unchanged' };
    const missed = await this.judge.missed({ orgId, user: userId, password: next, bill }, orgId);
    if (missed.length > 0) return { kind: 'password-too-weak', unmet: missed };
    const hash = await this.hashing.hash(next, bill);
    return { kind: 'ready', apply: (tx) => this.apply(tx, { orgId, userId, hash, setAt }) };
  }

  private async apply(
    tx: Tx,
    { orgId, userId, hash, setAt }: { orgId: OrgId; userId: UserId; hash: string; setAt: string },
  ): Promise<boolean> {
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) return false;
    const { scheme, weak } = this.hashing.inspect(hash);
    const password = { orgId, userId, hash, scheme, weak, changeRequired: false };
    if (!(await this.passwords.replaceSetAt(tx, setAt, password))) return false;
    await this.passwords.clearAttempts(tx, orgId, userId, defaultAttemptPolicy);
    await this.access.ofUser(tx, { orgId, userId, actorId: userId }, 'password_changed');
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'password_changed' });
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence: details.sequence,
      type: 'user.human.password.changed',
      actorId: userId,
      fields: ['password'],
    });
    return true;
  }
}
