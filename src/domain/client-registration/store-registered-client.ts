import { Injectable } from '@nestjs/common';
import type { ClientRegistration } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import {
  CreateOidcApplication,
  type CreatedOidcApplication,
} from '../applications/create-oidc-application.js';
import { EventsStore } from '../events/events.store.js';
import type { ClientId, InitialAccessTokenId, OrgId, ProjectId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ClientRegistrationSettings, firstUseSeconds } from './client-registration-settings.js';
import { ClientRegistrationsStore, type NewClientRegistration } from './client-registrations.store.js';
import type { ReadMetadata } from './metadata/client-metadata.js';

export interface RegisteredPlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly registration: ClientRegistration;
  /** The initial access token that it came with. */
  readonly tokenId?: InitialAccessTokenId;
  /** The address of its document. */
  readonly clientId?: ClientId;
}

export type RegisteredClient = Pick<CreatedOidcApplication, 'clientId' | 'clientSecret'> & {
  readonly registeredAt: Date;
};

/** Puts a client on file by what it says of itself: as an application, with its keys and how it came. */
@Injectable()
export class StoreRegisteredClient {
  constructor(
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly applications: ApplicationsStore,
    private readonly registrations: ClientRegistrationsStore,
    private readonly events: EventsStore,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /** @throws ApiError already-exists, not-found */
  async execute(
    tx: Tx,
    { name, config, allowedScopes, keys, metadata }: ReadMetadata,
    { orgId, projectId, registration, tokenId, ...named }: RegisteredPlace,
    opened: Pick<NewClientRegistration, 'tokenHash' | 'freshSeconds'>,
  ): Promise<RegisteredClient> {
    const settings = { ...config, ...named, name, orgId, projectId, registration, allowedScopes };
    // it has no access to our own APIs: nobody need be asked whether it may have that
    const { id, clientId, clientSecret, details } = await this.createOidcApplication.store(
      tx,
      settings,
      null,
    );
    if (keys.length > 0) await this.applications.replaceOwnKeys(tx, { orgId, projectId, id }, keys);
    const isOpen = registration !== 'initial_access_token';
    const registeredAt = await this.registrations.add(tx, {
      ...opened,
      applicationId: id,
      orgId,
      metadata,
      unusedSeconds: firstUseSeconds(isOpen, this.settings.unusedSeconds),
    });
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence: details.sequence,
      type: 'application.registered',
      actorId: null,
      data: { projectId, by: registration, ...(tokenId !== undefined && { initialAccessTokenId: tokenId }) },
    });
    return { clientId, clientSecret, registeredAt };
  }
}
