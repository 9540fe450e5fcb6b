import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { userEvent } from '../../events/user-event.js';
import { SessionsStore, type ProviderSession } from '../../sessions/sessions.store.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { UsersStore } from '../../users/users.store.js';
import { UserIdentitiesStore, type NewUserIdentity } from './user-identities.store.js';

/** Adds an identity to somebody who has shown that both are theirs. */
@Injectable()
export class LinkIdentity {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param there the provider's session that showed whose the identity is
   * @returns false for a subject that is somebody's, a user whom the provider has no say over, and one that may not be connected (now),
   * such as by a session that the provider has ended
   */
  async execute(
    tx: Tx,
    identity: NewUserIdentity,
    actorId: UserId,
    there?: ProviderSession,
  ): Promise<boolean> {
    const { orgId, userId, providerId } = identity;
    // the user before what is known of the provider's session, as everywhere. A sign-in that ends with this has locked its browser
    // and its session already, unlike `StartSession`: should the provider end that very session now, one of the two is undone as a
    // `TransactionConflict`
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (there !== undefined && !(await this.sessions.admitProviderSession(tx, there))) return false;
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
