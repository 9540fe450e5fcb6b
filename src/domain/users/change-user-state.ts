import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import { ApiError } from '../shared/errors.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from './find-user.js';
import { UsersStore } from './users.store.js';

export interface UserStateChange {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly actorId: UserId;
}

/** Shuts users out and lets them in again. */
@Injectable()
export class ChangeUserState {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
    private readonly permissions: PermissionsStore,
    private readonly sessions: SessionsStore,
  ) {}

  /**
   * The same statement raises the token epoch, so that every access token, refresh token and session issued before is
   * dead on every replica when the transaction commits, and stays dead after a reactivation. Personal access tokens
   * rest while their owner is inactive and work again afterwards: they are listed, and revoked one by one.
   *
   * @throws ApiError not-found, failed-precondition when the user is inactive already
   */
  async deactivate(tx: Tx, change: UserStateChange): Promise<ResourceDetails> {
    await this.requireNoHigherRole(change);
    const details = await this.users.deactivate(tx, change.orgId, change.userId);
    if (details === undefined) {
      throw await this.refusal(tx, change, 'User already inactive', 'COMMAND-5M0sf');
    }
    // dead by their epoch already; ending them tells the applications that want to know
    await this.sessions.endOfUser(tx, change, 'user_deactivated', change.actorId);
    await this.record(tx, change, details, 'user.deactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition when the user is not inactive */
  async reactivate(tx: Tx, change: UserStateChange): Promise<ResourceDetails> {
    await this.requireNoHigherRole(change);
    const details = await this.users.reactivate(tx, change.orgId, change.userId);
    if (details === undefined) throw await this.refusal(tx, change, 'User is not inactive', 'COMMAND-6M0sf');
    await this.record(tx, change, details, 'user.reactivated');
    return details;
  }

  /** Whoever runs an organization must not shut out, or let in again, somebody who runs the instance. */
  private async requireNoHigherRole({ orgId, userId, actorId }: UserStateChange): Promise<void> {
    const target = (await this.permissions.findRoles(userId, orgId)) ?? [];
    if (!target.some((role) => role.startsWith('IAM_'))) return;
    const actor = (await this.permissions.findRoles(actorId, orgId)) ?? [];
    if (actor.includes('IAM_OWNER')) return;
    throw new ApiError('permission-denied', 'No matching permissions found', 'AUTH-3jknH');
  }

  private async refusal(
    tx: Tx,
    { orgId, userId }: UserStateChange,
    text: string,
    id: string,
  ): Promise<ApiError> {
    const state = await this.users.findState(tx, orgId, userId);
    return state === undefined ? userNotFound() : new ApiError('failed-precondition', text, id);
  }

  private async record(
    tx: Tx,
    { orgId, userId, actorId }: UserStateChange,
    { sequence }: ResourceDetails,
    type: string,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence,
      type,
      actorId,
    });
  }
}
