import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../shared/details.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { UsersStore, type LockedUser } from '../users.store.js';
import { VerificationCodesStore } from '../verification/verification-codes.store.js';

/**
 * Who had nothing to sign in with is active from now on, as with a first password or passkey. The mail that was to give them a
 * password has done its part. Their address stays as it is; one that nobody has verified is asked for after the next sign-in, as
 * with everybody else.
 */
@Injectable()
export class FirstSignInMethod {
  constructor(
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
  ) {}

  /** Counts that a way in was added, be it the first or not. */
  async count(tx: Tx, user: LockedUser): Promise<ResourceDetails> {
    await this.codes.endLive(tx, user.id, 'initialise');
    if (user.state !== 'initial') return await this.users.countChange(tx, user);
    const details = await this.users.recordChange(tx, user.orgId, user.id, { newPassword: true });
    if (details === undefined) throw new Error('a locked user has changed');
    return details;
  }
}
