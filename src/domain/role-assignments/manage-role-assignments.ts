import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import {
  RoleAssignmentsStore,
  type AddedRoleAssignment,
  type NewRoleAssignment,
  type RoleAssignmentPlace,
} from './role-assignments.store.js';

/** Somebody who holds roles of a project, or is about to. */
export type RoleHolder = Pick<NewRoleAssignment, 'orgId' | 'userId' | 'projectId'>;

/** An assignment that the user does not have, or that is another organization's: both look the same. */
export function roleAssignmentNotFound(): ApiError {
  return new ApiError('not-found', 'User grant could not be found', 'COMMAND-2M9fs');
}

/** Gives users roles of projects and takes them away. Claims are read when they are asked for: it holds at once. */
@Injectable()
export class ManageRoleAssignments {
  constructor(
    private readonly assignments: RoleAssignmentsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError already-exists where the user has roles of the project already; others as `RoleAssignmentsStore.add` */
  async add(tx: Tx, assignment: NewRoleAssignment, actorId: UserId): Promise<AddedRoleAssignment> {
    const added = await this.addUnlessHeld(tx, assignment, actorId);
    if (added === undefined) throw new ApiError('already-exists', 'User grant already exists', 'V3-DKcYh');
    return added;
  }

  private async addUnlessHeld(
    tx: Tx,
    assignment: NewRoleAssignment,
    actorId: UserId,
  ): Promise<AddedRoleAssignment | undefined> {
    const added = await this.assignments.add(tx, assignment);
    if (added === undefined) return undefined;
    const { orgId, userId } = assignment;
    await this.record(tx, { orgId, userId, id: added.id }, actorId, added.details, 'user.grant.added');
    return added;
  }

  /** @throws ApiError not-found, invalid-argument for a role that the project does not have, or that is not granted */
  async replaceRoles(
    tx: Tx,
    place: RoleAssignmentPlace,
    roleKeys: readonly string[],
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const details = await this.assignments.replaceRoles(tx, place, roleKeys);
    if (details === undefined) throw roleAssignmentNotFound();
    await this.record(tx, place, actorId, details, 'user.grant.changed', ['roleKeys']);
    return details;
  }

  /**
   * One role more; nothing where the user holds it. Two that give somebody their first role at once both succeed: the second
   * adds to what the first has made.
   * @throws ApiError as `add`
   */
  async give(tx: Tx, holder: RoleHolder, roleKey: string, actorId: UserId): Promise<void> {
    if (await this.giveMore(tx, holder, roleKey, actorId)) return;
    const assignment = { ...holder, roleKeys: [roleKey] };
    if ((await this.addUnlessHeld(tx, assignment, actorId)) !== undefined) return;
    // somebody else's came first, and can be read since they have committed
    if (await this.giveMore(tx, holder, roleKey, actorId)) return;
    // and is gone again already
    await this.add(tx, assignment, actorId);
  }

  /** Into what the user holds; false where that is nothing. */
  private async giveMore(
    tx: Tx,
    { orgId, userId, projectId }: RoleHolder,
    roleKey: string,
    actorId: UserId,
  ): Promise<boolean> {
    const held = await this.assignments.lockOfProject(tx, orgId, userId, projectId);
    if (held === undefined) return false;
    if (held.roleKeys.includes(roleKey)) return true;
    const place = { orgId, userId, id: held.id };
    await this.replaceRoles(tx, place, [...held.roleKeys, roleKey], actorId);
    return true;
  }

  /** One role less; nothing where the user does not hold it. The last one takes the assignment with it. */
  async take(
    tx: Tx,
    { orgId, userId, projectId }: RoleHolder,
    roleKey: string,
    actorId: UserId,
  ): Promise<void> {
    const held = await this.assignments.lockOfProject(tx, orgId, userId, projectId);
    if (held?.roleKeys.includes(roleKey) !== true) return;
    const place = { orgId, userId, id: held.id };
    const left = held.roleKeys.filter((key) => key !== roleKey);
    if (left.length === 0) await this.remove(tx, place, actorId);
    else await this.replaceRoles(tx, place, left, actorId);
  }

  /** @throws ApiError not-found, failed-precondition */
  async deactivate(tx: Tx, place: RoleAssignmentPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.assignments.setState(tx, place, 'inactive');
    if (details === undefined) throw await this.refusal(place, 'User grant is deactivated', 'COMMAND-1S9gx');
    await this.record(tx, place, actorId, details, 'user.grant.deactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async reactivate(tx: Tx, place: RoleAssignmentPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.assignments.setState(tx, place, 'active');
    if (details === undefined) throw await this.refusal(place, 'User grant is not inactive', 'COMMAND-1ML0v');
    await this.record(tx, place, actorId, details, 'user.grant.reactivated');
    return details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, place: RoleAssignmentPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.assignments.remove(tx, place);
    if (details === undefined) throw roleAssignmentNotFound();
    await this.record(tx, place, actorId, details, 'user.grant.removed');
    return details;
  }

  private async refusal(place: RoleAssignmentPlace, text: string, id: string): Promise<ApiError> {
    const found = await this.assignments.find(place);
    return found === undefined ? roleAssignmentNotFound() : new ApiError('failed-precondition', text, id);
  }

  private async record(
    tx: Tx,
    { orgId, userId, id }: RoleAssignmentPlace,
    actorId: UserId,
    { sequence }: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user_grant',
      aggregateId: id,
      sequence,
      type,
      actorId,
      fields,
      data: { userId },
    });
  }
}
