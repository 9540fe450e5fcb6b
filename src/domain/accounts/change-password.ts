import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { CheckPassword } from '../passwords/check-password.js';
import type { HashingBill } from '../passwords/hashing/hashing-bill.js';
import type { EncodedPassword } from '../passwords/passwords.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { NewPasswords, type NewPasswordRefusal } from '../users/new-passwords/new-passwords.js';
import { StoreNewPassword } from '../users/new-passwords/store-new-password.js';
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
       * Writes it, in the transaction of what follows. False, and nothing written, when the password was
       * changed by somebody else meanwhile or the user is locked or deactivated.
       */
      readonly apply: (tx: Tx) => Promise<boolean>;
    }
  | { readonly kind: 'current-wrong' }
  | { readonly kind: 'password-unchanged' }
  | NewPasswordRefusal;

/**
 * A new password by somebody who knows the present one. Every session, token and grant of
 * the user ends with it, applications are notified, and the owner gets a mail. The user who changed it continues with a
 * new session.
 */
@Injectable()
export class ChangePassword {
  constructor(
    private readonly checkPassword: CheckPassword,
    private readonly newPasswords: NewPasswords,
    private readonly storeNewPassword: StoreNewPassword,
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
    const refusal = await this.newPasswords.refusal(orgId, next);
    if (refusal !== undefined) return refusal;
    const { matches, setAt } = await this.checkPassword.check(userId, current, bill);
    if (!matches || setAt === undefined) return { kind: 'current-wrong' };
    if (current === next) return { kind: 'password-unchanged' };
    const judged = await this.newPasswords.accept({ orgId, user: userId, password: next, bill }, orgId);
    if (judged.kind !== 'accepted') return judged;
    const { encoded } = judged;
    return { kind: 'ready', apply: (tx) => this.apply(tx, { orgId, userId, encoded, setAt }) };
  }

  private async apply(
    tx: Tx,
    {
      orgId,
      userId,
      encoded,
      setAt,
    }: { orgId: OrgId; userId: UserId; encoded: EncodedPassword; setAt: string },
  ): Promise<boolean> {
    const details = await this.users.recordChange(tx, orgId, userId, { newPassword: true });
    if (details === undefined) return false;
    const password = { ...encoded, orgId, userId, changeRequired: false, madeBy: null };
    if (!(await this.storeNewPassword.replace(tx, password, userId, setAt))) return false;
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
