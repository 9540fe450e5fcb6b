import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { FactorsStore } from '../factors/factors.store.js';
import { RequireFactorLeft } from '../factors/require-factor-left.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import type { Acting } from '../permissions/acting.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, PasskeyId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndAccess } from '../users/end-access.js';
import { userNotFound } from '../users/find-user.js';
import { RequireWayIn } from '../users/require-way-in.js';
import { UsersStore, type LockedUser } from '../users/users.store.js';
import type { Passkey } from './passkey.js';
import { PasskeysStore } from './passkeys.store.js';

/** Somebody changes the passkeys of a user: the user, or a manager. */
export interface PasskeyChange extends Acting {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

/** A passkey of nobody, and one of another user, alike. */
export function passkeyNotFound(): ApiError {
  return new ApiError('not-found', 'Passkey could not be found', 'QUERY-Pk7f2');
}

/** The passkeys that a user has. */
@Injectable()
export class ManagePasskeys {
  constructor(
    private readonly passkeys: PasskeysStore,
    private readonly users: UsersStore,
    private readonly rank: RequireRank,
    private readonly access: EndAccess,
    private readonly factorLeft: RequireFactorLeft,
    private readonly wayIn: RequireWayIn,
    private readonly factors: FactorsStore,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly events: EventsStore,
  ) {}

  /** Oldest first. @throws ApiError not-found for the user */
  async list(orgId: OrgId, userId: UserId): Promise<readonly Passkey[]> {
    if ((await this.users.find(orgId, userId)) === undefined) throw userNotFound();
    return await this.passkeys.listOfUser(orgId, userId);
  }

  /** @throws ApiError not-found */
  async rename(tx: Tx, change: PasskeyChange, id: PasskeyId, name: string): Promise<ResourceDetails> {
    const { orgId, userId } = change;
    const user = await this.lock(tx, change);
    const details = await this.passkeys.rename(tx, orgId, userId, id, name);
    if (details === undefined) throw passkeyNotFound();
    await this.record(tx, change, user, id, 'user.human.passkey.renamed');
    return details;
  }

  /**
   * Nobody signs in with it from the commit on. Where somebody else takes it away it may be in wrong hands: whatever the
   * user was let in with ends as well.
   *
   * @throws ApiError not-found, permission-denied, failed-precondition for one's own last factor, where one is required, and
   *   for one's own last way in
   */
  async remove(tx: Tx, change: PasskeyChange, id: PasskeyId): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const user = await this.lock(tx, change);
    const details = await this.passkeys.remove(tx, orgId, userId, id);
    if (details === undefined) throw passkeyNotFound();
    if (actorId === userId) {
      await this.wayIn.check(tx, userId);
      await this.factorLeft.check(tx, userId);
    } else await this.access.ofUser(tx, change, 'passkey_removed');
    await this.factors.dropIdleRecoveryCodes(tx, userId);
    await this.enqueueNotification.notify(tx, { orgId, userId, template: 'passkey_removed' });
    await this.record(tx, change, user, id, 'user.human.passkey.removed');
    return details;
  }

  private async lock(tx: Tx, change: PasskeyChange): Promise<LockedUser> {
    const user = await this.users.lockForUpdate(tx, change.orgId, change.userId);
    if (user === undefined) throw userNotFound();
    await this.rank.check(tx, change, change.userId);
    return user;
  }

  private async record(
    tx: Tx,
    change: PasskeyChange,
    user: LockedUser,
    passkeyId: PasskeyId,
    type: EventType,
  ): Promise<void> {
    const details = await this.users.countChange(tx, user);
    await this.events.append(tx, { ...userEvent(change, details, type), data: { passkeyId } });
  }
}
