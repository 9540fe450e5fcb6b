import type { JWK } from 'jose';
import type { ResourceDetails } from '../../shared/details.js';
import type { ApplicationKeyId } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { ApplicationPlace } from '../applications.store.js';

export interface ApplicationKey {
  readonly id: ApplicationKeyId;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}

/** The keys that an application signs its assertions with; public halves only. */
export abstract class ApplicationKeysStore {
  /** @param id kept when it comes along from elsewhere. @throws ApiError already-exists for the id */
  abstract add(
    tx: Tx,
    place: ApplicationPlace,
    publicJwk: JWK,
    expiresAt: Date,
    id?: ApplicationKeyId,
  ): Promise<ApplicationKey>;

  abstract find(place: ApplicationPlace, id: ApplicationKeyId): Promise<ApplicationKey | undefined>;

  abstract list(place: ApplicationPlace, query: PageQuery): Promise<Page<ApplicationKey>>;

  /**
   * Removes the key and raises the client's token epoch, once however many remove it: what it obtained ends with it.
   * Undefined when there was no such key.
   */
  abstract remove(
    tx: Tx,
    place: ApplicationPlace,
    id: ApplicationKeyId,
  ): Promise<ResourceDetails | undefined>;
}
