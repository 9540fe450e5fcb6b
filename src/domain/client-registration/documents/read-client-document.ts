import { Injectable } from '@nestjs/common';
import {
  ClientDocuments,
  DocumentUnavailable,
  type FetchedDocument,
} from '../../applications/client-documents.js';
import type { OidcConfig } from '../../applications/oidc-config.js';
import { SectorIdentifiers } from '../../applications/sector-identifier.js';
import { ApiError, OAuthError } from '../../shared/errors.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { KeySettings } from '../../signing-keys/key-settings.js';
import { ClientRegistrationSettings, OPEN_CLIENT_OF_A_DAY } from '../client-registration-settings.js';
import { sectorRefused, type ReadMetadata } from '../metadata/client-metadata.js';
import { readDocument } from './client-document.js';

/** What the draft recommends is 5 kB; keys need some more. */
const MOST_BYTES = 16 * 1024;
/** Fetches of one host's documents within a minute. */
const FETCHES_OF_A_HOST = 30;
const EVERYBODY = 'everybody';

/** Fetches the document of a client and reads what it asks for. */
@Injectable()
export class ReadClientDocument {
  constructor(
    private readonly documents: ClientDocuments,
    private readonly sectors: SectorIdentifiers,
    private readonly limiter: RateLimiter,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /**
   * Counts it first: by who asks, by where it goes, and in all.
   *
   * @param askedFrom network address of who names the client
   * @throws OAuthError where it is not to be had; temporarily_unavailable past a limit
   */
  async fetch(clientId: string, askedFrom: string, isNew: boolean): Promise<FetchedDocument> {
    await this.admit(clientId, askedFrom, isNew);
    try {
      return await this.documents.fetch(clientId, MOST_BYTES);
    } catch (error) {
      if (!(error instanceof DocumentUnavailable)) throw error;
      throw new OAuthError('invalid_request', `the client metadata document ${error.message}`);
    }
  }

  /**
   * @param kept what is on file for the client
   * @throws Unfit where it does not hold
   */
  async read(
    { text }: FetchedDocument,
    clientId: string,
    kept: OidcConfig | undefined,
  ): Promise<ReadMetadata> {
    const read = this.metadataOf(text, clientId, kept);
    await this.requireSector(read.config, kept);
    return read;
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

  private metadataOf(text: string, clientId: string, kept: OidcConfig | undefined): ReadMetadata {
    try {
      return readDocument(text, clientId, this.keys.algorithm, kept);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      throw documentUnfit(`client metadata document: ${error.description}`);
    }
  }

  private async requireSector(config: OidcConfig, kept: OidcConfig | undefined): Promise<void> {
    await this.sectors.require(config, kept).catch((error: unknown) => {
      throw error instanceof ApiError
        ? documentUnfit(`client metadata document: ${sectorRefused(error).description}`)
        : error;
    });
  }
}

/** What its document says does not hold, so what it said before counts no longer either. */
export class Unfit extends OAuthError {}

export function documentUnfit(description: string): Unfit {
  return new Unfit('invalid_request', description);
}
