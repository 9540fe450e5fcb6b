import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { ChangeApplication } from '../../applications/change-application.js';
import type { OidcConfig } from '../../applications/oidc-config.js';
import { ConsentsStore } from '../../consents/consents.store.js';
import { inPerson } from '../../permissions/acting.js';
import type { UserId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { ClientRegistrationsStore, placeOf, type StoredDocument } from '../client-registrations.store.js';
import { areOtherLinks } from '../metadata/client-links.js';
import type { ReadMetadata } from '../metadata/client-metadata.js';
import { keysOnFile } from '../metadata/metadata-keys.js';
import { documentUnfit } from './read-client-document.js';

/** Who acts, in events. No user can have this id: theirs hold no blanks (`given-id.ts`). */
const ACTOR = 'Client metadata document' as UserId;

/** Changes a client on file to what its document says now. */
@Injectable()
export class UpdateDocumentClient {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly applications: ApplicationsStore,
    private readonly changeApplication: ChangeApplication,
    private readonly consents: ConsentsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @param kept the configuration with which the document was read: where somebody has changed it since, nothing is changed, and the next
   *   request reads the document again (security S506)
   * @throws Unfit, ApiError
   */
  async execute(
    known: StoredDocument,
    { name, config, keys, metadata }: ReadMetadata,
    kept: OidcConfig,
    freshSeconds: number,
  ): Promise<void> {
    const place = placeOf(known);
    const { id } = place;
    await this.unitOfWork.run(async (tx) => {
      // of two that come at once the second finds nothing to change
      if ((await this.applications.lock(tx, place)) === undefined) return;
      const record = await this.applications.find(place, tx);
      if (record?.type !== 'oidc' || !isDeepStrictEqual(record.config, kept)) return;
      const acting = inPerson(ACTOR);
      const { managementAccess: _, ...present } = record.config;
      // keys given by value are removed before a `jwks_uri` replaces them
      await this.applications.replaceOwnKeys(tx, place, keys);
      if (config.jwksUri !== null && (await this.applications.hasKeys(tx, place)))
        throw documentUnfit(keysOnFile().description);
      if (!isDeepStrictEqual(config, present)) {
        await this.changeApplication.replaceOidc(tx, place, config, acting);
      }
      // what its users agreed to was for the client that they saw
      if (
        !isDeepStrictEqual(unsigned(config), unsigned(present)) ||
        record.name !== name ||
        areOtherLinks(known.metadata, metadata)
      )
        await this.consents.lower(tx, id, 'none');
      if (record.name !== name) await this.changeApplication.rename(tx, place, name, acting);
      if (!isDeepStrictEqual(known.metadata, metadata))
        await this.registrations.replaceMetadata(tx, id, metadata);
      await this.registrations.setFresh(tx, id, freshSeconds);
    });
  }
}

/** Without the algorithms, which nobody sees. */
function unsigned(config: OidcConfig): OidcConfig {
  return { ...config, idTokenAlgorithm: null, authorizationAlgorithm: null, userinfoAlgorithm: null };
}
