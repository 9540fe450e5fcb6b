import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ApplicationsStore, type ApplicationPlace } from '../applications/applications.store.js';
import { ChangeApplication } from '../applications/change-application.js';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
} from '../applications/client-documents.js';
import { CreateOidcApplication } from '../applications/create-oidc-application.js';
import type { OidcConfig } from '../applications/oidc-config.js';
import { SectorIdentifiers } from '../applications/sector-identifier.js';
import { ConsentsStore } from '../consents/consents.store.js';
import { EventsStore } from '../events/events.store.js';
import { inPerson } from '../permissions/acting.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import type { ClientId, OrgId, ProjectId, UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { RateLimiter } from '../shared/rate-limiter.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { documentAddressProblem, isDocumentAddress, readDocument } from './client-document.js';
import { keysOnFile, sectorRefused, type ReadMetadata } from './client-metadata.js';
import {
  ClientRegistrationSettings,
  firstUseSeconds,
  MOST_OPEN_CLIENTS,
  OPEN_CLIENT_OF_A_DAY,
} from './client-registration-settings.js';
import { ClientRegistrationsStore, type StoredDocument } from './client-registrations.store.js';

/** How long a document counts as it was read: no shorter, whatever its server says, and no longer. */
const SHORTEST_SECONDS = 300;
const DEFAULT_SECONDS = 3_600;
const LONGEST_SECONDS = 86_400;
/** What the draft recommends is 5 kB; keys need some more. */
const MOST_BYTES = 16 * 1024;
/** Fetches of one host's documents within a minute. */
const FETCHES_OF_A_HOST = 30;
const EVERYBODY = 'everybody';

/** Who acts, in events. No user can have this id: theirs hold no blanks (`given-id.ts`). */
const ACTOR = 'Client metadata document' as UserId;

/**
 * A client id that is an address is where its client describes itself (draft-ietf-oauth-client-id-metadata-document). Before such a
 * client is looked for, its document is fetched, unless it was a short while ago, and put on file as an application of the project
 * that the configuration names. Nobody vouches for it.
 */
@Injectable()
export class ResolveClientDocument {
  constructor(
    private readonly documents: ClientDocuments,
    private readonly sectors: SectorIdentifiers,
    private readonly registrations: ClientRegistrationsStore,
    private readonly applications: ApplicationsStore,
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly changeApplication: ChangeApplication,
    private readonly consents: ConsentsStore,
    private readonly events: EventsStore,
    private readonly limiter: RateLimiter,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /**
   * @param askedFrom network address of who names the client
   * @throws OAuthError where there is no such client, or its document does not hold
   */
  async execute(clientId: string | undefined, askedFrom: string): Promise<void> {
    if (!this.settings.documents || clientId === undefined || !isDocumentAddress(clientId)) return;
    const problem = documentAddressProblem(clientId);
    if (problem !== undefined) throw unfit(`client_id ${problem}`);
    const known = await this.registrations.findDocument(clientId);
    // who gave it access to our own APIs gave it to what it was then (GiveAccess)
    if (known !== undefined && (known.isFresh || known.managementAccess !== 'none')) return;
    try {
      await this.refresh(clientId as ClientId, known, askedFrom);
    } catch (error) {
      // one that was read before still counts while its server is away, for as long as a document may
      if (known?.isUsable === true && !(error instanceof Unfit)) return;
      throw error;
    }
  }

  private async refresh(
    clientId: ClientId,
    known: StoredDocument | undefined,
    askedFrom: string,
  ): Promise<void> {
    await this.admit(clientId, askedFrom, known === undefined);
    const fetched = await this.fetch(clientId);
    const record = known && (await this.applications.find(placeOf(known)));
    const kept = record?.type === 'oidc' ? record.config : undefined;
    const read = this.read(fetched, clientId, kept);
    await this.requireSector(read.config, kept);
    const freshSeconds = Math.min(
      Math.max(fetched.maxAgeSeconds ?? DEFAULT_SECONDS, SHORTEST_SECONDS),
      LONGEST_SECONDS,
    );
    if (known === undefined) await this.add(clientId, read, freshSeconds);
    else await this.change(known, read, freshSeconds);
  }

  /** Each is a call to somewhere at somebody's word: bounded by who asks, by where it goes, and in all. */
  private async admit(clientId: string, askedFrom: string, isNew: boolean): Promise<void> {
    const { fetchesPerMinute, fetchesInAllPerMinute, newClientsPerDay } = this.settings;
    // of what is refused by one the next knows nothing: no address uses up what there is for all
    // what is on file is counted apart, so that made-up names of a host keep nobody from the clients that it has
    const ofHost = isNew ? 'client-document-host' : 'client-document-host-known';
    const ofAll = isNew ? 'client-document-all' : 'client-document-all-known';
    const isAdmitted =
      (!isNew ||
        (await this.limiter.checkOfDay(OPEN_CLIENT_OF_A_DAY, askedFrom, newClientsPerDay)).allowed) &&
      (await this.limiter.hit('client-document', askedFrom, fetchesPerMinute)).allowed &&
      (await this.limiter.hit(ofHost, new URL(clientId).host, FETCHES_OF_A_HOST)).allowed &&
      (await this.limiter.hit(ofAll, EVERYBODY, fetchesInAllPerMinute)).allowed &&
      (!isNew || (await this.limiter.hitOfDay(OPEN_CLIENT_OF_A_DAY, askedFrom, newClientsPerDay)).allowed);
    if (isAdmitted) return;
    throw new OAuthError('temporarily_unavailable', 'too many client metadata documents, try again later');
  }

  private async fetch(clientId: string): Promise<FetchedDocument> {
    try {
      return await this.documents.fetch(clientId, MOST_BYTES);
    } catch (error) {
      if (!(error instanceof DocumentUnavailable)) throw error;
      throw new OAuthError('invalid_request', `the client metadata document ${error.message}`);
    }
  }

  private read({ text }: FetchedDocument, clientId: string, kept: OidcConfig | undefined): ReadMetadata {
    try {
      return readDocument(text, clientId, this.keys.algorithm, kept);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      throw unfit(`client metadata document: ${error.description}`);
    }
  }

  private async requireSector(config: OidcConfig, kept: OidcConfig | undefined): Promise<void> {
    await this.sectors.require(config, kept).catch((error: unknown) => {
      throw error instanceof ApiError
        ? unfit(`client metadata document: ${sectorRefused(error).description}`)
        : error;
    });
  }

  private async add(clientId: ClientId, read: ReadMetadata, freshSeconds: number): Promise<void> {
    const { orgId, projectId } = await this.place();
    const { name, config, allowedScopes, keys, metadata } = read;
    const settings = {
      ...config,
      clientId,
      name,
      orgId,
      projectId,
      registration: 'document',
      allowedScopes,
    } as const;
    try {
      await this.unitOfWork.run(async (tx) => {
        const { id, details } = await this.createOidcApplication.store(tx, settings, null);
        if (keys.length > 0) await this.applications.replaceOwnKeys(tx, { orgId, projectId, id }, keys);
        const unusedSeconds = firstUseSeconds(true, this.settings.unusedSeconds);
        await this.registrations.add(tx, {
          applicationId: id,
          orgId,
          tokenHash: null,
          freshSeconds,
          metadata,
          unusedSeconds,
        });
        await this.events.append(tx, {
          orgId,
          aggregateType: 'application',
          aggregateId: id,
          sequence: details.sequence,
          type: 'application.registered',
          actorId: null,
          data: { projectId, by: 'document' },
        });
      });
    } catch (error) {
      // somebody who came at the same time has put it on file
      if (error instanceof ApiError && error.kind === 'already-exists') return;
      throw error;
    }
  }

  private async change(
    known: StoredDocument,
    { name, config, keys, metadata }: ReadMetadata,
    freshSeconds: number,
  ): Promise<void> {
    const place = placeOf(known);
    const { id } = place;
    await this.unitOfWork.run(async (tx) => {
      // of two that come at once the second finds nothing to change
      if ((await this.applications.lock(tx, place)) === undefined) return;
      const record = await this.applications.find(place, tx);
      if (record?.type !== 'oidc') return;
      const acting = inPerson(ACTOR);
      const { managementAccess: _, ...present } = record.config;
      // keys that it told by value go before an address takes their place
      await this.applications.replaceOwnKeys(tx, place, keys);
      if (config.jwksUri !== null && (await this.applications.hasKeys(tx, place)))
        throw unfit(keysOnFile().description);
      if (!isDeepStrictEqual(config, present)) {
        await this.changeApplication.replaceOidc(tx, place, config, acting);
      }
      // what its users agreed to was for the client that they saw
      if (!isDeepStrictEqual(config, present) || record.name !== name)
        await this.consents.lower(tx, id, 'none');
      if (record.name !== name) await this.changeApplication.rename(tx, place, name, acting);
      if (!isDeepStrictEqual(known.metadata, metadata))
        await this.registrations.replaceMetadata(tx, id, metadata);
      await this.registrations.setFresh(tx, id, freshSeconds);
    });
  }

  private async place(): Promise<{ readonly orgId: OrgId; readonly projectId: ProjectId }> {
    const { openProject: projectId } = this.settings;
    const orgId = projectId && (await this.registrations.ownerOfProject(projectId));
    if (projectId === undefined || orgId === undefined) {
      this.log.error('the project of CLIENT_REGISTRATION_PROJECT is not there, or at rest', undefined);
      throw new OAuthError('temporarily_unavailable', 'new clients are not taken at present');
    }
    if ((await this.registrations.countOpen(projectId, MOST_OPEN_CLIENTS)) >= MOST_OPEN_CLIENTS) {
      this.log.warn('too many clients have registered themselves', { most: MOST_OPEN_CLIENTS });
      throw new OAuthError('temporarily_unavailable', 'new clients are not taken at present');
    }
    return { orgId, projectId };
  }
}

function placeOf({ orgId, projectId, id }: StoredDocument): ApplicationPlace {
  return { orgId, projectId, id };
}

/** What its document says does not hold, so what it said before counts no longer either. */
class Unfit extends OAuthError {}

function unfit(description: string): Unfit {
  return new Unfit('invalid_request', description);
}
