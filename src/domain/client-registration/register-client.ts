import { Injectable } from '@nestjs/common';
import type { ApplicationRecord } from '../applications/applications.store.js';
import { SectorIdentifiers } from '../applications/sector-identifier.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import { sha256 } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { ClientRegistrationSettings } from './client-registration-settings.js';
import { InitialAccessTokensStore } from './initial-access-tokens.store.js';
import { readMetadata, sectorRefused, withStatement, type ReadMetadata } from './metadata/client-metadata.js';
import { OpenClientPlace } from './open-client-place.js';
import { registrationAnswer, type RegistrationAnswer } from './registration-answer.js';
import { newRegistrationToken } from './registration-tokens.js';
import { SoftwareStatements } from './software-statements.js';
import { StoreRegisteredClient, type RegisteredPlace } from './store-registered-client.js';

export type OidcRecord = Extract<ApplicationRecord, { type: 'oidc' }>;

/**
 * The client registration endpoint (RFC 7591 §3): an application of the project of an initial access token or, where anyone may
 * register, of the project that the configuration names.
 */
@Injectable()
export class RegisterClient {
  constructor(
    private readonly tokens: InitialAccessTokensStore,
    private readonly statements: SoftwareStatements,
    private readonly sectors: SectorIdentifiers,
    private readonly openPlace: OpenClientPlace,
    private readonly storeClient: StoreRegisteredClient,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @param token the initial access token; without one only where anyone may register
   * @throws OAuthError invalid_token, or what is wrong with the metadata
   */
  async register(given: unknown, token: string | undefined): Promise<RegistrationAnswer> {
    if (token === undefined) return await this.registerOpen(given);
    const hash = sha256(token);
    // who has no token learns nothing of what is taken; the use is counted where it is taken, in the transaction
    if (!(await this.tokens.isUsable(hash))) throw tokenRefused();
    const { words, statement } = await this.statements.apply(given);
    const read = readMetadata(words, 'initial_access_token', this.keys.algorithm, undefined, this.settings);
    await this.requireSector(read);
    return await this.unitOfWork.run(async (tx) => {
      const used = await this.tokens.use(tx, hash);
      if (used === undefined) throw tokenRefused();
      const { orgId, projectId, id: tokenId } = used;
      const place = { orgId, projectId, registration: 'initial_access_token', tokenId } as const;
      return await this.store(tx, withStatement(read, statement), place);
    });
  }

  private async registerOpen(given: unknown): Promise<RegistrationAnswer> {
    const { mode, openProject } = this.settings;
    if (mode !== 'open' || openProject === undefined) {
      throw new OAuthError('invalid_token', 'an initial access token is needed');
    }
    const { words, statement } = await this.statements.apply(given);
    const serves = {
      servesHybrid: false,
      servesPairwise: this.settings.servesPairwise,
      servesFrontChannelLogout: this.settings.servesFrontChannelLogout,
      servesRequestObjects: this.settings.servesRequestObjects,
      servesCertificates: this.settings.servesCertificates,
    };
    const read = withStatement(
      readMetadata(words, 'anyone', this.keys.algorithm, undefined, serves),
      statement,
    );
    const open = await this.openPlace.find();
    if (open === 'gone') {
      throw new OAuthError('temporarily_unavailable', 'clients cannot be registered at present');
    }
    if (open === 'full') {
      throw new OAuthError('temporarily_unavailable', 'too many clients are registered at present');
    }
    await this.requireSector(read);
    const place = { ...open, registration: 'anyone' } as const;
    return await this.unitOfWork.run(async (tx) => await this.store(tx, read, place));
  }

  private async requireSector({ config }: ReadMetadata): Promise<void> {
    await this.sectors.require(config).catch((error: unknown) => {
      throw error instanceof ApiError ? sectorRefused(error) : error;
    });
  }

  private async store(tx: Tx, read: ReadMetadata, place: RegisteredPlace): Promise<RegistrationAnswer> {
    const registrationToken = newRegistrationToken();
    const tokenHash = sha256(registrationToken);
    const stored = await this.storeClient.execute(tx, read, place, { tokenHash }).catch((error: unknown) => {
      // nothing but the project can be gone
      if (error instanceof ApiError && error.kind === 'not-found') throw tokenRefused();
      throw error;
    });
    const { clientId, clientSecret, registeredAt } = stored;
    const { name, config, allowedScopes, keys, metadata } = read;
    const registered = { clientId, name, config, allowedScopes, keys, metadata, registeredAt };
    const { issuer } = this.settings;
    const { algorithm } = this.keys;
    return registrationAnswer(registered, { issuer, registrationToken, algorithm, clientSecret });
  }
}

/** RFC 7591 §3.1: one that is over, used up, unknown or of a project that has gone looks like any other. */
function tokenRefused(): OAuthError {
  return new OAuthError('invalid_token', 'the initial access token is invalid, expired or used up');
}
