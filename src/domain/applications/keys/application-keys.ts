import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { ApplicationKeyId, UserId } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { applicationNotFound } from '../application.js';
import { ApplicationsStore, type ApplicationKey, type ApplicationPlace } from '../applications.store.js';

/** A key of nobody, and one of another application, alike. */
export function applicationKeyNotFound(): ApiError {
  return new ApiError('not-found', 'Key could not be found', 'QUERY-Ld94b');
}

/** The keys that an application has: looked at, and taken away. */
@Injectable()
export class ApplicationKeys {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found */
  async get(place: ApplicationPlace, id: ApplicationKeyId): Promise<ApplicationKey> {
    const key = await this.applications.findKey(place, id);
    if (key === undefined) throw applicationKeyNotFound();
    return key;
  }

  /** @throws ApiError not-found for the application */
  async list(place: ApplicationPlace, query: PageQuery): Promise<Page<ApplicationKey>> {
    if ((await this.applications.find(place)) === undefined) throw applicationNotFound();
    return await this.applications.listKeys(place, query);
  }

  /**
   * From the moment this is committed no replica takes the key, and none the tokens that the application holds.
   * @throws ApiError not-found
   */
  async remove(
    tx: Tx,
    place: ApplicationPlace,
    id: ApplicationKeyId,
    actorId: UserId,
  ): Promise<ResourceDetails> {
    const details = await this.applications.removeKey(tx, place, id);
    if (details === undefined) throw applicationKeyNotFound();
    await this.events.append(tx, {
      orgId: place.orgId,
      aggregateType: 'application_key',
      aggregateId: id,
      sequence: details.sequence,
      type: 'application.key.removed',
      actorId,
      data: { applicationId: place.id },
    });
    return details;
  }
}
