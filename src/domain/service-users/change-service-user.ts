import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { changedFields } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { FindServiceUser, type ServiceUserChange } from './find-service-user.js';
import { ServiceUsersStore, type ServiceUserSettings } from './service-users.store.js';

/** Replaces name, description and the form of the access tokens. Tokens issued before keep theirs. */
@Injectable()
export class ChangeServiceUser {
  constructor(
    private readonly find: FindServiceUser,
    private readonly serviceUsers: ServiceUsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition, permission-denied */
  async execute(tx: Tx, change: ServiceUserChange, settings: ServiceUserSettings): Promise<ResourceDetails> {
    const { orgId, userId, actorId } = change;
    const before = await this.find.lock(tx, change);
    const details = await this.serviceUsers.change(tx, orgId, userId, settings);
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: userId,
      sequence: details.sequence,
      type: 'user.machine.changed',
      actorId,
      fields: changedFields(before.settings, settings),
    });
    return details;
  }
}
