import { Injectable } from '@nestjs/common';
import { ApiError } from '../../shared/errors.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { WaysInStore } from './ways-in.store.js';

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
export class RequireWayIn {
  constructor(private readonly waysIn: WaysInStore) {}

  /**
   * Removes something that may be a way in, with the user's row locked. What lets nobody in takes none away, and may go
   * from somebody who has none.
   *
   * @throws ApiError failed-precondition when it was the last one, which undoes the removal
   */
  async keepOne<T>(tx: Tx, userId: UserId, remove: () => Promise<T>): Promise<T> {
    const hadAny = await this.waysIn.hasAny(tx, userId);
    const removed = await remove();
    if (!hadAny || (await this.waysIn.hasAny(tx, userId))) return removed;
    throw new ApiError(
      'failed-precondition',
      'The last way to sign in cannot be removed: add a password or a passkey first',
      LAST_WAY_IN,
    );
  }
}
