import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';
import { UserIdentitiesStore, type NewUserIdentity } from './user-identities.store.js';

/** Adds an identity to somebody who has shown that both are theirs. */
@Injectable()
export class LinkIdentity {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @returns false for a subject that is somebody's, a user whom the provider has no say over, and one that may not be connected (now) */
  async execute(tx: Tx, identity: NewUserIdentity, actorId: UserId): Promise<boolean> {
    const { orgId, userId, providerId } = identity;
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (user === undefined || (await this.identities.add(tx, { ...identity, isLink: true })) === undefined) {
      return false;
    }
    const details = await this.users.countChange(tx, user);
    const event = userEvent({ orgId, userId, actorId }, details, 'user.human.identity.added');
    await this.events.append(tx, { ...event, data: { providerId } });
    return true;
  }

  /** Whether that very user has the identity. */
  async isOf(identity: NewUserIdentity & { readonly orgId: OrgId }): Promise<boolean> {
    const found = await this.identities.find(identity.providerId, identity.subject);
    return found?.userId === identity.userId;
  }
}
