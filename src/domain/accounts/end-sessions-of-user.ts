import { Injectable } from '@nestjs/common';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { SessionId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { UsersStore } from '../users/users.store.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

const REASON = 'ended_by_request';

/** Ends sessions of one user: all, with all other access, or one. Invalid on every replica with the commit. */
@Injectable()
export class EndSessionsOfUser {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly access: EndAccess,
  ) {}

  /**
   * Whoever stole the account is out: refresh tokens, codes and access tokens end with the sessions, also of
   * applications that were given offline access, unless that is to be kept.
   *
   * @throws ApiError not-found, permission-denied
   */
  async all(
    tx: Tx,
    change: AccountChange,
    { keepOfflineAccess }: { readonly keepOfflineAccess: boolean },
  ): Promise<ResourceDetails> {
    const user = await this.account.lockCoveredForUpdate(tx, change);
    if (keepOfflineAccess) {
      // sessions have events of their own, so nothing of the user changes
      const { orgId, userId, actorId } = change;
      await this.sessions.endOfUser(tx, { orgId, userId }, REASON, actorId);
      return user.details;
    }
    await this.access.ofUser(tx, change, REASON);
    const details = await this.users.countChange(tx, user);
    await this.account.record(tx, change, details, 'user.access_ended');
    return details;
  }

  /** Its tokens end with it, but for offline access, as at a logout. @throws ApiError not-found, permission-denied */
  async one(tx: Tx, change: AccountChange, only: SessionId): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const { details } = await this.account.lockCoveredForUpdate(tx, change);
    const ended = await this.sessions.endOfUser(tx, { orgId, userId, only }, REASON, actorId);
    if (ended === 0) throw sessionNotFound();
    return details;
  }

  /**
   * What somebody is signed in with beside the browser that they ask from: all of it, or one. Offline access stays, as at a
   * logout.
   *
   * @returns how many ended: of one that was over already, or is another user's, none
   */
  async elsewhere(tx: Tx, change: AccountChange, here: SessionId, only?: SessionId): Promise<number> {
    const { orgId, userId, actorId } = change;
    await this.account.lockCoveredForUpdate(tx, change);
    const which = { orgId, userId, except: here, ...(only !== undefined && { only }) };
    return await this.sessions.endOfUser(tx, which, REASON, actorId);
  }
}

export function sessionNotFound(): ApiError {
  return new ApiError('not-found', 'Session not found', 'QUERY-8Fs2d');
}
