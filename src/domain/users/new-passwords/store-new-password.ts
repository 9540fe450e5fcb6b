import { Injectable } from '@nestjs/common';
import { defaultAttemptPolicy } from '../../passwords/attempts/attempt-policy.js';
import { PasswordsStore, type NewPassword } from '../../passwords/passwords.store.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { EndAccess } from '../end-access.js';

/** Writes a password that was accepted, and what follows from it for whoever knew the one before. */
@Injectable()
export class StoreNewPassword {
  constructor(
    private readonly passwords: PasswordsStore,
    private readonly access: EndAccess,
  ) {}

  /** A first password, which ends nothing: the owner's other credentials stay valid. */
  async setFirst(tx: Tx, password: NewPassword): Promise<void> {
    await this.passwords.set(tx, password);
    await this.forgetGuesses(tx, password);
  }

  /**
   * Ends all access gained with the previous one.
   *
   * @param setAt when the previous one was set, if only that one may be replaced
   * @returns false, and nothing written, when it was changed meanwhile
   */
  async replace(tx: Tx, password: NewPassword, actorId: UserId, setAt?: string): Promise<boolean> {
    if (setAt === undefined) await this.passwords.set(tx, password);
    else if (!(await this.passwords.replaceSetAt(tx, setAt, password))) return false;
    await this.forgetGuesses(tx, password);
    const { orgId, userId } = password;
    await this.access.ofUser(tx, { orgId, userId, actorId }, 'password_changed');
    return true;
  }

  /** Guesses at the password before say nothing about this one. */
  private async forgetGuesses(tx: Tx, { orgId, userId }: NewPassword): Promise<void> {
    await this.passwords.clearAttempts(tx, orgId, userId, defaultAttemptPolicy);
  }
}
