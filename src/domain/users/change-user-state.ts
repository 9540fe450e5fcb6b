import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from './find-user.js';
import { UsersStore } from './users.store.js';

export interface ChangeUserState {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly actorId: UserId;
}

/**
 * Shuts a user out. The same statement raises the token epoch, so that every token, refresh token and session
 * issued before is dead on every replica when the transaction commits, and stays dead after a reactivation.
 */
@Injectable()
export class DeactivateUser {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition when the user is inactive already */
  async execute(tx: Tx, command: ChangeUserState): Promise<ResourceDetails> {
    const { orgId, userId } = command;
    const details = await this.users.deactivate(tx, orgId, userId);
    if (details === undefined) {
      throw (await this.users.findState(tx, orgId, userId)) === undefined
        ? userNotFound()
        : new ApiError('failed-precondition', 'User already inactive', 'COMMAND-5M0sf');
    }
    await this.events.append(tx, userEvent(command, details, 'user.deactivated'));
    return details;
  }
}

@Injectable()
export class ReactivateUser {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition when the user is not inactive */
  async execute(tx: Tx, command: ChangeUserState): Promise<ResourceDetails> {
    const { orgId, userId } = command;
    const details = await this.users.reactivate(tx, orgId, userId);
    if (details === undefined) {
      throw (await this.users.findState(tx, orgId, userId)) === undefined
        ? userNotFound()
        : new ApiError('failed-precondition', 'User is not inactive', 'COMMAND-6M0sf');
    }
    await this.events.append(tx, userEvent(command, details, 'user.reactivated'));
    return details;
  }
}

function userEvent({ orgId, userId, actorId }: ChangeUserState, details: ResourceDetails, type: string) {
  return {
    orgId,
    aggregateType: 'user',
    aggregateId: userId,
    sequence: details.sequence,
    type,
    actorId,
  } as const;
}
