import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { UserIdentityId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { EndAccess } from '../../users/end-access.js';
import { LockCoveredUserForUpdate } from '../../users/lock-covered-user-for-update.js';
import { RequireSignInMethod } from '../../users/sign-in-methods/require-sign-in-method.js';
import { UsersStore } from '../../users/users.store.js';
import type { IdentityChange } from './add-identity.js';
import { UserIdentitiesStore } from './user-identities.store.js';

export function identityNotFound(): ApiError {
  return new ApiError('not-found', 'Identity could not be found', 'IDP-Id7nf');
}

/**
 * Removes a user's external identity, by the user or by a manager: nobody can sign in by it from the commit on. If
 * somebody else removes it, it may be compromised: the user's sessions and tokens end as well.
 */
@Injectable()
export class RemoveIdentity {
  constructor(
    private readonly lock: LockCoveredUserForUpdate,
    private readonly identities: UserIdentitiesStore,
    private readonly signInMethods: RequireSignInMethod,
    private readonly access: EndAccess,
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, permission-denied, failed-precondition for the last way in */
  async execute(tx: Tx, change: IdentityChange, id: UserIdentityId): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const user = await this.lock.execute(tx, change);
    const removed = await this.signInMethods.keepOne(tx, userId, async () => {
      const identity = await this.identities.remove(tx, orgId, userId, id);
      if (identity === undefined) throw identityNotFound();
      return identity;
    });
    if (actorId !== userId) await this.access.ofUser(tx, change, 'identity_removed');
    const details = await this.users.countChange(tx, user);
    const event = userEvent(change, details, 'user.human.identity.removed');
    await this.events.append(tx, { ...event, data: { providerId: removed.providerId } });
    return details;
  }
}
