import { Injectable } from '@nestjs/common';
import { Clock } from '../../domain/shared/clock.js';
import { MOST_METADATA, UsersStore } from '../../domain/users/users.store.js';
import { userAnswer } from '../shared/schemas/user.schemas.js';
import type { AccountVisit } from './account-visits.js';
import { OwnAccess } from './own-access.js';
import { OwnEvents } from './own-events.js';
import { OwnProofs } from './own-proofs.js';

/**
 * All that is kept about somebody, in the words of the APIs and within bounds. No hash, no seed, no key: nothing that is
 * read here has one.
 */
@Injectable()
export class OwnData {
  constructor(
    private readonly users: UsersStore,
    private readonly access: OwnAccess,
    private readonly proofs: OwnProofs,
    private readonly events: OwnEvents,
    private readonly clock: Clock,
  ) {}

  async read({ user, organization }: AccountVisit): Promise<object> {
    const { orgId, id } = user;
    const allMetadata = { offset: 0, limit: MOST_METADATA.keys, ascending: true };
    const [metadata, access, proofs] = await Promise.all([
      this.users.listMetadata(orgId, id, '', allMetadata),
      this.access.find(user),
      this.proofs.find(user),
    ]);
    const about = await this.events.find(id, { orgId, aggregateType: 'user', aggregateId: id });
    const by = await this.events.find(id, { orgId, actorId: id });
    return {
      createdDate: new Date(this.clock.nowMs()).toISOString(),
      organization: { id: orgId, name: organization?.name },
      user: userAnswer.parse(user),
      metadata: metadata.items.map(({ key, value }) => ({ key, value: value.toString('base64') })),
      ...access,
      ...proofs,
      eventsAboutYou: about.shown,
      eventsByYou: by.shown,
      olderEventsLeftOut: { aboutYou: about.leftOut, byYou: by.leftOut },
    };
  }
}
