import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { KeepOwner } from '../permissions/keep-owner.js';
import type { Role } from '../permissions/permissions.js';
import { outranked } from '../permissions/require-rank.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from '../users/find-user.js';
import type { MadeCredential } from './credentials.store.js';
import { MembersStore, type MemberPlace } from './members.store.js';
import { RevokeOutrankedCredentials } from './revoke-outranked-credentials.js';

export function memberNotFound(): ApiError {
  return new ApiError('not-found', 'Member could not be found', 'QUERY-9bYKa');
}

export interface MemberChange extends Acting {
  readonly place: MemberPlace;
  readonly userId: UserId;
  /** The organization that the call acts in. */
  readonly orgId: OrgId;
}

/** What ended because its maker is below what the user is now. */
export interface ChangedMember {
  readonly details: ResourceDetails;
  readonly ended: readonly MadeCredential[];
}

/**
 * Gives and takes roles of organizations and of the instance. All changes of one place wait for each other, so that
 * what is found true of it (there is another owner left) is true when the transaction commits.
 */
@Injectable()
export class ManageMembers {
  constructor(
    private readonly members: MembersStore,
    private readonly roles: EffectiveRoles,
    private readonly owner: KeepOwner,
    private readonly lowerMade: RevokeOutrankedCredentials,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found for the user, already-exists, permission-denied for roles above the actor's */
  async add(tx: Tx, change: MemberChange, roles: readonly Role[]): Promise<ChangedMember> {
    const { place, userId } = change;
    await this.begin(tx, change, roles);
    // the instance knows every user, an organization only its own
    if (!(await this.members.lockUserForUpdate(tx, userId, place))) throw userNotFound();
    if ((await this.members.findRoles(tx, place, userId)).length > 0) {
      throw new ApiError('already-exists', 'Member already exists', 'V3-DKcYh');
    }
    return await this.raise(tx, change, () => this.store(tx, change, roles, 'added'));
  }

  /** @throws ApiError not-found, permission-denied, failed-precondition for the last owner of the instance */
  async replace(tx: Tx, change: MemberChange, roles: readonly Role[]): Promise<ChangedMember> {
    await this.begin(tx, change, roles);
    // before it is asked what they have: a user who is just being deleted has nothing left by then
    if (!(await this.members.lockUserForUpdate(tx, change.userId, change.place))) throw memberNotFound();
    await this.requireMember(tx, change);
    const changed = await this.raise(tx, change, () => this.store(tx, change, roles, 'changed'));
    await this.requireOwner(tx, change);
    return changed;
  }

  /** @throws ApiError not-found, permission-denied, failed-precondition for the last owner of the instance */
  async remove(tx: Tx, change: MemberChange): Promise<ResourceDetails> {
    await this.begin(tx, change, []);
    if (!(await this.members.lockUserForUpdate(tx, change.userId, change.place))) throw memberNotFound();
    await this.requireMember(tx, change);
    const details = await this.store(tx, change, [], 'removed');
    await this.requireOwner(tx, change);
    return details;
  }

  /** The actor's roles are read again under the lock: somebody may just have taken them away. */
  private async begin(tx: Tx, change: MemberChange, roles: readonly Role[]): Promise<void> {
    await this.members.lock(tx, change.place);
    const own = (await this.roles.inOrganization(change, change.orgId, tx)) ?? [];
    if (own.includes('IAM_OWNER')) return;
    const mayGive = change.place !== null && own.includes('ORG_OWNER');
    if (mayGive && roles.every((role) => role.startsWith('ORG_'))) return;
    throw outranked();
  }

  /** Of roles that may be more than before: what somebody below them made ends. */
  private async raise(
    tx: Tx,
    { userId, actorId }: MemberChange,
    change: () => Promise<ResourceDetails>,
  ): Promise<ChangedMember> {
    const { result, ended } = await this.lowerMade.whileRolesChange(tx, userId, actorId, change);
    return { details: result, ended };
  }

  private async requireMember(tx: Tx, { place, userId }: MemberChange): Promise<void> {
    if ((await this.members.findRoles(tx, place, userId)).length === 0) throw memberNotFound();
  }

  /** Asked after the change and before its commit, under the lock of the place. */
  private async requireOwner(tx: Tx, { place }: MemberChange): Promise<void> {
    if (place === null) await this.owner.require(tx);
  }

  private async store(
    tx: Tx,
    { place, userId, actorId }: MemberChange,
    roles: readonly Role[],
    what: 'added' | 'changed' | 'removed',
  ): Promise<ResourceDetails> {
    const details = await this.members.setRoles(tx, place, userId, roles);
    await this.events.append(tx, {
      orgId: place,
      aggregateType: 'membership',
      aggregateId: `${place ?? 'instance'} ${userId}`,
      sequence: details.sequence,
      type: `${place === null ? 'instance' : 'organization'}.member.${what}`,
      actorId,
      fields: ['roles'],
      data: { userId, roles: roles.join(' ') },
    });
    return details;
  }
}
