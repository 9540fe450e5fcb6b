import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { ChangeApplication } from '../../applications/change-application.js';
import { ConsentsStore } from '../../consents/consents.store.js';
import { inPerson } from '../../permissions/acting.js';
import type { ApplicationId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ClientRegistrationsStore } from '../client-registrations.store.js';
import type { ReadMetadata } from '../metadata/client-metadata.js';
import { keysOnFile } from '../metadata/metadata-keys.js';
import type { LockedClient } from './authenticate-registration.js';

/** Who acts by a registration access token, in events. No user can have this id: theirs hold no blanks (`given-id.ts`). */
export function registeredClientActor(id: ApplicationId): UserId {
  return `Registered client ${id}` as UserId;
}

/** Puts what a client registers now in place of what it registered. What its users agreed to was for the client that they saw. */
@Injectable()
export class WriteRegistration {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly changeApplication: ChangeApplication,
    private readonly registrations: ClientRegistrationsStore,
    private readonly consents: ConsentsStore,
  ) {}

  /** @returns a secret, where it needs one and had none @throws OAuthError */
  async execute(
    tx: Tx,
    { place, record }: LockedClient,
    { name, config, allowedScopes, keys, metadata }: ReadMetadata,
  ): Promise<string | undefined> {
    const acting = inPerson(registeredClientActor(place.id));
    // keys given by value are removed before a `jwks_uri` replaces them
    await this.applications.replaceOwnKeys(tx, place, keys);
    if (config.jwksUri !== null && (await this.applications.hasKeys(tx, place))) throw keysOnFile();
    const changed = await this.changeApplication.replaceOidc(tx, place, config, acting);
    if (name !== record.name) await this.changeApplication.rename(tx, place, name, acting);
    await this.applications.setAllowedScopes(tx, place.id, allowedScopes);
    await this.registrations.replaceMetadata(tx, place.id, metadata);
    await this.consents.lower(tx, place.id, 'none');
    return changed.clientSecret;
  }
}
