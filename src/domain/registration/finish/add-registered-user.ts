import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { inspectHash } from '../../passwords/schemes/password-schemes.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { Counters } from '../../statistics/counters.js';
import { canonicalName } from '../../users/names/canonical-name.js';
import { domainOfUserName, partsOfName, userNameIn } from '../../users/names/user-name.js';
import { UsersStore } from '../../users/users.store.js';
import type { EndedRegistration } from '../registrations.store.js';

/** Adds the user of a registration who chose a password, with the address that the code came from. */
@Injectable()
export class AddRegisteredUser {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
    private readonly counters: Counters,
  ) {}

  /** @throws ApiError already-exists, or invalid-argument for an address of another organization's domain */
  async execute(tx: Tx, registration: EndedRegistration): Promise<UserId> {
    const { orgId, email, loginName, locale, passwordHash: hash } = registration;
    const [reserved] = await this.users.reserve([domainOfUserName(loginName)], tx);
    if (reserved === undefined) throw new Error('no id was reserved');
    const userName = userNameIn(orgId, loginName, reserved.domainOwner);
    const [created] = await this.users.addHumans(tx, [
      {
        id: reserved.id,
        orgId,
        userName,
        state: 'active',
        // nobody was asked for a name; what stands for one is what they sign in by
        profile: {
          firstName: '',
          lastName: '',
          displayName: partsOfName(loginName)?.local ?? loginName,
          preferredLanguage: locale,
        },
        email: { address: email, verified: true },
        identifiers: [
          { kind: 'user_name', canonical: canonicalName(userName) },
          // of plain addresses only (readRegistration), whose mailbox the code came from
          { kind: 'email', canonical: canonicalName(email), proven: true },
        ],
        password: { ...inspectHash(hash), hash, changeRequired: false, madeBy: null },
      },
    ]);
    if (created === undefined) throw new Error('the registration wrote no user');
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: created.id,
      sequence: created.details.sequence,
      type: 'user.human.registered',
      actorId: created.id,
      fields: ['userName', 'email', 'password', 'displayName', 'preferredLanguage'],
    });
    this.counters.addAfterCommit(tx, orgId, 'newUsers');
    return created.id;
  }
}
