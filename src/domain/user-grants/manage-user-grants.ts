import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { UserGrantId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UserGrantsStore, type NewUserGrant, type UserGrantPlace } from './user-grants.store.js';

/** A grant that the user does not have, or that is another organization's: both look the same. */
export function userGrantNotFound(): ApiError {
  return new ApiError('not-found', 'User grant could not be found', 'COMMAND-2M9fs');
}

/** Gives users roles of projects and takes them away. Claims are read when they are asked for: it holds at once. */
@Injectable()
export class ManageUserGrants {
  constructor(
    private readonly grants: UserGrantsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError as `UserGrantsStore.add` */
  async add(
    tx: Tx,
    grant: NewUserGrant,
    actorId: UserId,
  ): Promise<{ readonly id: UserGrantId; readonly details: ResourceDetails }> {
    const added = await this.grants.add(tx, grant);
    const { orgId, userId } = grant;
    await this.record(tx, { orgId, userId, id: added.id }, actorId, added.details, 'user.grant.added');
    return added;
  }

  /** @throws ApiError not-found, invalid-argument for a role that the project does not have, or that is not granted */
  async replaceRoles(
    tx: Tx,
    place: UserGrantPlace,
    roleKeys: readonly string[],
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const details = await this.grants.replaceRoles(tx, place, roleKeys);
    if (details === undefined) throw userGrantNotFound();
    await this.record(tx, place, actorId, details, 'user.grant.changed', ['roleKeys']);
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async deactivate(tx: Tx, place: UserGrantPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.grants.setState(tx, place, 'inactive');
    if (details === undefined) throw await this.refusal(place, 'User grant is deactivated', 'COMMAND-1S9gx');
    await this.record(tx, place, actorId, details, 'user.grant.deactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async reactivate(tx: Tx, place: UserGrantPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.grants.setState(tx, place, 'active');
    if (details === undefined) throw await this.refusal(place, 'User grant is not inactive', 'COMMAND-1ML0v');
    await this.record(tx, place, actorId, details, 'user.grant.reactivated');
    return details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, place: UserGrantPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.grants.remove(tx, place);
    if (details === undefined) throw userGrantNotFound();
    await this.record(tx, place, actorId, details, 'user.grant.removed');
    return details;
  }

  private async refusal(place: UserGrantPlace, text: string, id: string): Promise<ApiError> {
    const found = await this.grants.find(place);
    return found === undefined ? userGrantNotFound() : new ApiError('failed-precondition', text, id);
  }

  private async record(
    tx: Tx,
    { orgId, userId, id }: UserGrantPlace,
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
