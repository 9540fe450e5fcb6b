import { Injectable } from '@nestjs/common';
import type { ClientRegistration } from '../applications/application.js';
import { ApplicationsStore, type ApplicationRecord } from '../applications/applications.store.js';
import { CreateOidcApplication } from '../applications/create-oidc-application.js';
import { SectorIdentifiers } from '../applications/sector-identifier.js';
import { EventsStore } from '../events/events.store.js';
import { ApiError, OAuthError } from '../shared/errors.js';
import type { InitialAccessTokenId, OrgId, ProjectId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { sha256 } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { readMetadata, sectorRefused, withStatement, type ReadMetadata } from './client-metadata.js';
import {
  ClientRegistrationSettings,
  firstUseSeconds,
  MOST_OPEN_CLIENTS,
} from './client-registration-settings.js';
import { ClientRegistrationsStore } from './client-registrations.store.js';
import { InitialAccessTokensStore } from './initial-access-tokens.store.js';
import { registrationAnswer, type RegistrationAnswer } from './registration-answer.js';
import { newRegistrationToken } from './registration-tokens.js';
import { SoftwareStatements } from './software-statements.js';

interface Place {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
  readonly registration: ClientRegistration;
  readonly tokenId?: InitialAccessTokenId;
}

export type OidcRecord = Extract<ApplicationRecord, { type: 'oidc' }>;

/**
 * The client registration endpoint (RFC 7591 §3): an application of the project of an initial access token or, where anyone may
 * register, of the project that the configuration names.
 */
@Injectable()
export class RegisterClient {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly sectors: SectorIdentifiers,
    private readonly registrations: ClientRegistrationsStore,
    private readonly tokens: InitialAccessTokensStore,
    private readonly statements: SoftwareStatements,
    private readonly events: EventsStore,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
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
      servesCertificates: this.settings.servesCertificates,
    };
    const read = withStatement(
      readMetadata(words, 'anyone', this.keys.algorithm, undefined, serves),
      statement,
    );
    const orgId = await this.registrations.ownerOfProject(openProject);
    if (orgId === undefined) {
      this.log.error('the project of CLIENT_REGISTRATION_PROJECT is not there, or at rest', undefined);
      throw new OAuthError('temporarily_unavailable', 'clients cannot be registered at present');
    }
    if ((await this.registrations.countOpen(openProject, MOST_OPEN_CLIENTS)) >= MOST_OPEN_CLIENTS) {
      this.log.warn('too many clients have registered themselves', { most: MOST_OPEN_CLIENTS });
      throw new OAuthError('temporarily_unavailable', 'too many clients are registered at present');
    }
    await this.requireSector(read);
    const place = { orgId, projectId: openProject, registration: 'anyone' } as const;
    return await this.unitOfWork.run(async (tx) => await this.store(tx, read, place));
  }

  private async requireSector({ config }: ReadMetadata): Promise<void> {
    await this.sectors.require(config).catch((error: unknown) => {
      throw error instanceof ApiError ? sectorRefused(error) : error;
    });
  }

  private async store(
    tx: Tx,
    { name, config, allowedScopes, keys, metadata }: ReadMetadata,
    { orgId, projectId, registration, tokenId }: Place,
  ): Promise<RegistrationAnswer> {
    const settings = { ...config, name, orgId, projectId, registration, allowedScopes };
    // it has no access to our own APIs: nobody need be asked whether it may have that
    const created = await this.createOidcApplication.store(tx, settings, null).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'not-found') throw tokenRefused();
      throw error;
    });
    const { id, clientId, clientSecret, details } = created;
    const place = { orgId, projectId, id };
    if (keys.length > 0) await this.applications.replaceOwnKeys(tx, place, keys);
    const registrationToken = newRegistrationToken();
    const registeredAt = await this.registrations.add(tx, {
      applicationId: id,
      orgId,
      tokenHash: sha256(registrationToken),
      metadata,
      unusedSeconds: firstUseSeconds(registration === 'anyone', this.settings.unusedSeconds),
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
    const { issuer } = this.settings;
    const registered = { clientId, name, config, allowedScopes, keys, metadata, registeredAt };
    return registrationAnswer(registered, { issuer, registrationToken, clientSecret });
  }
}

/** RFC 7591 §3.1: one that is over, used up, unknown or of a project that has gone looks like any other. */
function tokenRefused(): OAuthError {
  return new OAuthError('invalid_token', 'the initial access token is invalid, expired or used up');
}
