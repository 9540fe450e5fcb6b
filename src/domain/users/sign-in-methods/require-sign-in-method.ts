import { Injectable } from '@nestjs/common';
import { ApiError } from '../../shared/errors.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { UsersStore } from '../users.store.js';

const LAST_WAY_IN = 'IDP-Lw4in';

/** Whether something was refused because nothing would be left to sign in with. */
export function isLastWayIn(error: unknown): boolean {
  return error instanceof ApiError && error.id === LAST_WAY_IN;
}

/**
 * A password, a passkey that signs in by itself, or an identity at a provider that lets them in: whoever has one of them keeps one.
 * A manager who takes away a passkey does not ask: it may be lost or in wrong hands, and they have links and passwords to give.
 */
@Injectable()
export class RequireSignInMethod {
  constructor(private readonly users: UsersStore) {}

  /**
   * Removes a credential, with the user's row locked. Removing one that cannot be used to sign in is always allowed, even from a user
   * without any other. Only owners keep an identity whose provider is deactivated, if it is all that they have: they can sign in by it
   * when somebody activates the provider again, and an organization must not end up with an owner who has none (security S508).
   *
   * @throws ApiError failed-precondition when it was the last one, which undoes the removal
   */
  async keepOne<T>(tx: Tx, userId: UserId, remove: () => Promise<T>): Promise<T> {
    const before = await this.users.findSignInMethods(tx, userId);
    const removed = await remove();
    const after = await this.users.findSignInMethods(tx, userId);
    if ((after.now || !before.now) && (after.later || !before.later)) return removed;
    throw new ApiError(
      'failed-precondition',
      'The last way to sign in cannot be removed: add a password or a passkey first',
      LAST_WAY_IN,
    );
  }
}
