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
 * A password, a passkey that signs in by itself, or an identity at a provider that lets them in: one of them is left to everybody.
 * A manager who takes away a passkey does not ask: it may be lost or in wrong hands, and they have links and passwords to give.
 */
@Injectable()
export class RequireWayIn {
  constructor(private readonly waysIn: WaysInStore) {}

  /** After one was removed, with the user's row locked. @throws ApiError failed-precondition, which undoes it */
  async check(tx: Tx, userId: UserId): Promise<void> {
    if (await this.waysIn.hasAny(tx, userId)) return;
    throw new ApiError(
      'failed-precondition',
      'The last way to sign in cannot be removed: add a password or a passkey first',
      LAST_WAY_IN,
    );
  }
}
