import type { JWK } from 'jose';
import type { ClientAuthMethod } from '../application.js';
import type { ResourceDetails } from '../../shared/details.js';
import type { ApplicationId, ApplicationKeyId, ClientId, OrgId, ProjectId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';

/** Names an application as a path does: all three must belong together. */
export interface ApplicationPlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly applicationId: ApplicationId;
}

export interface KeyedApplication {
  readonly clientId: ClientId;
  readonly authMethod: ClientAuthMethod;
}

export interface NewApplicationKey extends ApplicationPlace {
  readonly publicJwk: JWK;
  readonly expiresAt: Date;
}

export interface ApplicationKey {
  readonly id: ApplicationKeyId;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}

/** Which part of a list, oldest first or last. */
export interface KeyPage {
  readonly offset: number;
  readonly limit: number;
  readonly ascending: boolean;
}

export interface KeyList {
  readonly total: number;
  readonly keys: readonly ApplicationKey[];
}

/** The keys that an application signs its assertions with; public halves only. */
export abstract class ApplicationKeysStore {
  /** Locks the row against removal until the transaction ends, where there is one. */
  abstract findApplication(place: ApplicationPlace, tx?: Tx): Promise<KeyedApplication | undefined>;

  abstract add(tx: Tx, key: NewApplicationKey): Promise<ApplicationKey>;

  abstract find(place: ApplicationPlace, id: ApplicationKeyId): Promise<ApplicationKey | undefined>;

  abstract list(place: ApplicationPlace, page: KeyPage): Promise<KeyList>;

  /**
   * Removes the key and raises the client's token epoch, by one statement: what it obtained ends with it. Undefined
   * when there was no such key.
   */
  abstract remove(
    tx: Tx,
    place: ApplicationPlace,
    id: ApplicationKeyId,
  ): Promise<ResourceDetails | undefined>;
}
