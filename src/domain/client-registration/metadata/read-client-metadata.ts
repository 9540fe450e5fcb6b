import { Injectable } from '@nestjs/common';
import type { ClientRegistration } from '../../applications/application.js';
import type { OidcConfig } from '../../applications/oidc-config.js';
import { SectorIdentifiers } from '../../applications/sector-identifier.js';
import { ownAlgorithm } from '../../applications/security-profile.js';
import { ApiError } from '../../shared/errors.js';
import { KeySettings } from '../../signing-keys/key-settings.js';
import { ClientRegistrationSettings } from '../client-registration-settings.js';
import type { OidcRecord } from '../configuration/authenticate-registration.js';
import { readMetadata, sectorRefused, withStatement, type ReadMetadata } from './client-metadata.js';
import { SoftwareStatements, type StatedMetadata } from './software-statements.js';

/** What a client says of itself, with what a statement says of it, read by what the instance serves. */
@Injectable()
export class ReadClientMetadata {
  constructor(
    private readonly statements: SoftwareStatements,
    private readonly sectors: SectorIdentifiers,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /** Of a client that is new. @throws OAuthError for what is wrong with it */
  async ofNew(given: unknown, registration: 'initial_access_token' | 'anyone'): Promise<ReadMetadata> {
    const { words, statement } = await this.statements.apply(given);
    // a stranger has no response type with a code and a token, whatever the instance serves
    const serves =
      registration === 'anyone'
        ? {
            servesHybrid: false,
            servesPairwise: this.settings.servesPairwise,
            servesFrontChannelLogout: this.settings.servesFrontChannelLogout,
            servesRequestObjects: this.settings.servesRequestObjects,
            servesCertificates: this.settings.servesCertificates,
          }
        : this.settings;
    const read = readMetadata(words, registration, this.keys.algorithm, undefined, serves);
    return withStatement(read, statement);
  }

  /** @param kept the statement that the client registered with @throws OAuthError as `SoftwareStatements` */
  async state(given: unknown, kept: string | undefined): Promise<StatedMetadata> {
    return await this.statements.apply(given, kept);
  }

  /** In place of what is on file. @throws OAuthError for what is wrong with it */
  again(
    { words, statement }: StatedMetadata,
    registration: ClientRegistration,
    { config, allowedScopes }: OidcRecord,
  ): ReadMetadata {
    const algorithm = ownAlgorithm(config, this.keys);
    const kept = allowedScopes ?? undefined;
    return withStatement(
      readMetadata(words, registration, algorithm, config, this.settings, kept),
      statement,
    );
  }

  /** Before the transaction, which would wait for another host. @param before as it is on file @throws OAuthError */
  async requireSector({ config }: ReadMetadata, before?: OidcConfig): Promise<void> {
    await this.sectors.require(config, before).catch((error: unknown) => {
      throw error instanceof ApiError ? sectorRefused(error) : error;
    });
  }
}
