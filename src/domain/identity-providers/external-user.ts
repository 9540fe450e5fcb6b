import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { changedFields } from '../shared/changed-fields.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { Counters } from '../statistics/counters.js';
import { provesName } from '../users/email-address.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { loginNameProblem } from '../users/names/login-name-problem.js';
import { domainOfUserName, userNameIn } from '../users/names/user-name.js';
import type { HumanProfile } from '../users/user.js';
import { MOST_METADATA, UsersStore } from '../users/users.store.js';
import type { MappedIdentity } from './claim-mapping.js';
import { UserIdentitiesStore, type NewUserIdentity } from './identities/user-identities.store.js';
import { MappedRoles, type RolesBefore } from './mapped-roles.js';

/** Somebody who gets an account by signing in elsewhere. */
interface NewExternalUser {
  readonly identity: Omit<NewUserIdentity, 'userId'>;
  readonly mapped: MappedIdentity;
  /** Verified: by the provider's word, or by a code that came back. */
  readonly email: string;
  /** Its owner has shown it to us, or to a provider that the whole instance trusts. */
  readonly isOwnerVerified: boolean;
  /** BCP 47 tag of the page. */
  readonly locale: string;
}

/** Makes and keeps up users by what a provider says of them. Everything they do here is an event like any other's. */
@Injectable()
export class ExternalUser {
  constructor(
    private readonly users: UsersStore,
    private readonly identities: UserIdentitiesStore,
    private readonly roles: MappedRoles,
    private readonly events: EventsStore,
    private readonly counters: Counters,
  ) {}

  /** @throws ApiError already-exists, or invalid-argument for an address of another organization's domain */
  async create(
    tx: Tx,
    { identity, mapped, email, isOwnerVerified, locale }: NewExternalUser,
    rolesBefore: RolesBefore,
  ): Promise<UserId | undefined> {
    const { orgId } = identity;
    const wanted = wantedName(mapped, email);
    const [reserved] = await this.users.reserve([domainOfUserName(wanted)], tx);
    if (reserved === undefined) throw new Error('no id was reserved');
    const userName = userNameIn(orgId, wanted, reserved.domainOwner);
    const { firstName = '', lastName = '', ...more } = mapped.profile;
    const named = `${firstName} ${lastName}`.trim();
    const [created] = await this.users.addHumans(tx, [
      {
        id: reserved.id,
        orgId,
        userName,
        state: 'active',
        profile: {
          preferredLanguage: locale,
          ...more,
          firstName,
          lastName,
          displayName: more.displayName ?? (named || wanted),
        },
        email: { address: email, verified: true },
        identifiers: [
          { kind: 'user_name', canonical: canonicalName(userName) },
          { kind: 'email', canonical: canonicalName(email), proven: isOwnerVerified && provesName(email) },
        ],
        password: undefined,
      },
    ]);
    if (created === undefined) throw new Error('a sign-in elsewhere made no user');
    const userId = created.id;
    const fields = ['userName', 'email', 'identity', ...Object.keys(mapped.profile)];
    await this.record(tx, orgId, userId, created.details.sequence, 'user.human.external_created', fields);
    if ((await this.identities.add(tx, { ...identity, userId })) === undefined) return undefined;
    await this.applyRest(tx, orgId, userId, mapped, rolesBefore);
    this.counters.addAfterCommit(tx, orgId, 'newUsers');
    return userId;
  }

  /** Brings up to date what the provider says: names, roles and metadata. Never the address, by which people are written to. */
  async update(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    mapped: MappedIdentity,
    rolesBefore: RolesBefore,
  ): Promise<void> {
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    if (user?.type !== 'human') return;
    const after: HumanProfile & { displayName: string } = { ...user.profile, ...mapped.profile };
    if (!isDeepStrictEqual(user.profile, after)) {
      const { sequence } = await this.users.replaceProfile(tx, user, after);
      const fields = changedFields(user.profile, after);
      await this.record(tx, orgId, userId, sequence, 'user.human.external_updated', fields);
    }
    await this.applyRest(tx, orgId, userId, mapped, rolesBefore);
  }

  private async applyRest(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    mapped: MappedIdentity,
    rolesBefore: RolesBefore,
  ): Promise<void> {
    for (const { key, value } of mapped.metadata) await this.setMetadata(tx, orgId, userId, key, value);
    await this.roles.assign(tx, { orgId, userId }, mapped, rolesBefore);
  }

  private async setMetadata(tx: Tx, orgId: OrgId, userId: UserId, key: string, value: string): Promise<void> {
    const bytes = Buffer.from(value);
    if (bytes.length === 0) return;
    const known = await this.users.findMetadata(orgId, userId, key, tx);
    if (known?.value.equals(bytes) === true) return;
    const user = await this.users.lockForUpdate(tx, orgId, userId);
    const other = await this.users.measureOtherMetadata(tx, orgId, userId, key);
    const fits =
      other.keys < MOST_METADATA.keys &&
      other.bytes + Buffer.byteLength(key) + bytes.length <= MOST_METADATA.bytes;
    // a sign-in does not fail for it
    if (user === undefined || !fits) return;
    await this.users.setMetadata(tx, orgId, userId, key, bytes);
    const { sequence } = await this.users.countChange(tx, user);
    await this.record(tx, orgId, userId, sequence, 'user.metadata.set', [`metadata.${key}`]);
  }

  private async record(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    sequence: string,
    type: EventType,
    fields: readonly string[],
  ): Promise<void> {
    await this.events.append(tx, {
      ...userEvent({ orgId, userId, actorId: userId }, { sequence }, type),
      fields: [...fields],
    });
  }
}

/** The address, unless the provider has a name that could be nobody's address but theirs, and that they could have registered with. */
export function wantedName({ userName }: Pick<MappedIdentity, 'userName'>, email: string): string {
  return userName === undefined || loginNameProblem(userName, email) !== undefined ? email : userName;
}
