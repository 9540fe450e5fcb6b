import { Injectable } from '@nestjs/common';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from './users.store.js';
import { VerificationCodesStore } from './verification/verification-codes.store.js';

export interface AccessOfUser {
  readonly orgId: OrgId;
  readonly userId: UserId;
  /** Who ends it: the user themselves, or a manager. */
  readonly actorId: UserId;
}

/**
 * Ends for good all access of a user: sessions with the flows that wait on one, unused codes, access tokens,
 * and authorizations with their refresh tokens, offline access included. With the commit it is invalid on every replica, a sign-in
 * or a refresh that was in progress fails, and no later change of the user's state revives any of it.
 *
 * Passwords, keys, secrets and personal access tokens are different: they are credentials for new access. They are
 * listed, and removed one by one. A link that adds a passkey is not listed, so it ends here as well.
 */
@Injectable()
export class EndAccess {
  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly codes: VerificationCodesStore,
  ) {}

  /** @param reason stands in the event of each session that lived */
  async ofUser(tx: Tx, { orgId, userId, actorId }: AccessOfUser, reason: string): Promise<void> {
    await this.users.raiseEpoch(tx, orgId, userId);
    // invalid by their epoch already; ended as well, so that applications are notified (Back-Channel Logout §2.5)
    await this.sessions.endOfUser(tx, { orgId, userId }, reason, actorId);
    await this.codes.endLive(tx, userId, 'register_passkey');
  }
}
