import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isClientId } from '../applications/application.js';
import { ApplicationsStore, type ApplicationPlace } from '../applications/applications.store.js';
import { ChangeApplication } from '../applications/change-application.js';
import { SectorIdentifiers } from '../applications/sector-identifier.js';
import { ConsentsStore } from '../consents/consents.store.js';
import { inPerson } from '../permissions/acting.js';
import { ApiError, OAuthError, OAuthForbiddenError } from '../shared/errors.js';
import type { ApplicationId, UserId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { ClientRegistrationSettings, servesRegistration } from './client-registration-settings.js';
import { ClientRegistrationsStore, type StoredRegistration } from './client-registrations.store.js';
import { readMetadata, sectorRefused, withStatement, type ReadMetadata } from './metadata/client-metadata.js';
import { keysOnFile } from './metadata/metadata-keys.js';
import type { OidcRecord } from './register-client.js';
import { registrationAnswer, type RegistrationAnswer } from './registration-answer.js';
import { SoftwareStatements, type StatedMetadata } from './software-statements.js';

/** RFC 7592 §2.2: what a client may not send when it changes what it registered. */
const NOT_SENT = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
] as const;

interface LockedClient {
  readonly place: ApplicationPlace;
  readonly record: OidcRecord;
  readonly secretHash: Buffer | null;
}

/** Who acts by a registration access token, in events. No user can have this id: theirs hold no blanks (`given-id.ts`). */
function actorOf(id: ApplicationId): UserId {
  return `Registered client ${id}` as UserId;
}

/**
 * The client configuration endpoint (RFC 7592 §2): who holds the registration access token of a client reads, replaces and
 * removes what that client registered. A client of somebody else's and one that is not there look alike.
 */
@Injectable()
export class ManageRegistration {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly changeApplication: ChangeApplication,
    private readonly sectors: SectorIdentifiers,
    private readonly registrations: ClientRegistrationsStore,
    private readonly consents: ConsentsStore,
    private readonly statements: SoftwareStatements,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws OAuthError invalid_token */
  async read(clientId: string, token: string | undefined): Promise<RegistrationAnswer> {
    return await this.answer(await this.authenticate(clientId, token), token ?? '');
  }

  /**
   * The whole of it: what is left out goes (RFC 7592 §2.2). What its users agreed to was for the client that they saw.
   * @throws OAuthError
   */
  async replace(clientId: string, token: string | undefined, given: unknown): Promise<RegistrationAnswer> {
    const found = await this.authenticate(clientId, token);
    requireOwnWords(given, clientId);
    const stated = await this.statements.apply(given, found.metadata.software_statement);
    await this.requireSector(found, stated);
    const clientSecret = await this.unitOfWork.run(async (tx) => {
      const { place, record, secretHash } = await this.lock(tx, found, clientId, token);
      requireSecret(given, secretHash);
      const read = this.readOf(found, stated, record);
      const acting = inPerson(actorOf(found.id));
      // keys that it told by value go before an address takes their place
      await this.applications.replaceOwnKeys(tx, place, read.keys);
      if (read.config.jwksUri !== null && (await this.applications.hasKeys(tx, place))) throw keysOnFile();
      const changed = await this.changeApplication.replaceOidc(tx, place, read.config, acting);
      if (read.name !== record.name) await this.changeApplication.rename(tx, place, read.name, acting);
      await this.applications.setAllowedScopes(tx, found.id, read.allowedScopes);
      await this.registrations.replaceMetadata(tx, found.id, read.metadata);
      await this.consents.lower(tx, found.id, 'none');
      return changed.clientSecret;
    });
    return await this.answer(await this.authenticate(clientId, token), token ?? '', clientSecret);
  }

  /** Before the transaction, which would wait for another host. @throws OAuthError */
  private async requireSector(found: StoredRegistration, stated: StatedMetadata): Promise<void> {
    const record = await this.applications.find(placeOf(found));
    if (record?.type !== 'oidc') throw refused();
    const { config } = this.readOf(found, stated, record);
    await this.sectors.require(config, record.config).catch((error: unknown) => {
      throw error instanceof ApiError ? sectorRefused(error) : error;
    });
  }

  private readOf(
    { registration }: StoredRegistration,
    { words, statement }: StatedMetadata,
    { config, allowedScopes }: OidcRecord,
  ): ReadMetadata {
    const { algorithm } = this.keys;
    const kept = allowedScopes ?? undefined;
    const read = readMetadata(words, registration, algorithm, config, this.settings, kept);
    return withStatement(read, statement);
  }

  /** With its grants and tokens. @throws OAuthError invalid_token */
  async remove(clientId: string, token: string | undefined): Promise<void> {
    const found = await this.authenticate(clientId, token);
    await this.unitOfWork.run(async (tx) => {
      const { place } = await this.lock(tx, found, clientId, token);
      await this.changeApplication.remove(tx, place, actorOf(found.id));
    });
  }

  private async authenticate(
    clientId: string,
    token: string | undefined,
    tx?: Tx,
  ): Promise<StoredRegistration> {
    if (token === undefined || !isClientId(clientId)) throw refused();
    const found = await this.registrations.find(clientId, sha256(token), tx);
    if (found === undefined || !servesRegistration(this.settings, found.registration)) throw refused();
    return found;
  }

  /** As it is now, and nobody else changes it until the transaction ends. @throws OAuthError */
  private async lock(
    tx: Tx,
    found: StoredRegistration,
    clientId: string,
    token: string | undefined,
  ): Promise<LockedClient> {
    const place = placeOf(found);
    const locked = await this.applications.lock(tx, place);
    // somebody may have ended the token since (RegistrationTokens)
    await this.authenticate(clientId, token, tx);
    const record = await this.applications.find(place, tx);
    if (locked === undefined || record?.type !== 'oidc') throw refused();
    // what decides who acts by it is changed by who gave it that access, and by nobody else (GiveAccess)
    if ((record.config.managementAccess ?? 'none') !== 'none') {
      throw new OAuthForbiddenError('access_denied', 'an administrator looks after this client now');
    }
    return { place, record, secretHash: locked.clientSecretHash };
  }

  private async answer(
    found: StoredRegistration,
    registrationToken: string,
    clientSecret?: string,
  ): Promise<RegistrationAnswer> {
    const { metadata, registeredAt } = found;
    const place = placeOf(found);
    const record = await this.applications.find(place);
    if (record?.type !== 'oidc') throw refused();
    const { clientId, name, config, allowedScopes } = record;
    const keys = await this.applications.listOwnKeys(place);
    const registered = {
      clientId,
      name,
      config,
      allowedScopes: allowedScopes ?? [],
      keys,
      metadata,
      registeredAt,
    };
    const { issuer } = this.settings;
    const { algorithm } = this.keys;
    return registrationAnswer(registered, { issuer, registrationToken, algorithm, clientSecret });
  }
}

function placeOf({ orgId, projectId, id }: StoredRegistration): ApplicationPlace {
  return { orgId, projectId, id };
}

/** @throws OAuthError invalid_request for what RFC 7592 §2.2 forbids, and for another client's name */
function requireOwnWords(given: unknown, clientId: string): void {
  const said = (typeof given === 'object' && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  if (said['client_id'] !== clientId) {
    throw new OAuthError('invalid_request', 'client_id must be that of the address');
  }
  const forbidden = NOT_SENT.find((name) => said[name] !== undefined);
  if (forbidden !== undefined) throw new OAuthError('invalid_request', `${forbidden} must not be sent`);
}

/** A client may repeat its secret, and never choose one (RFC 7592 §2.2). */
function requireSecret(given: unknown, hash: Buffer | null): void {
  const { client_secret: secret } = given as { readonly client_secret?: unknown };
  if (secret === undefined) return;
  if (typeof secret === 'string' && hash !== null && timingSafeEqual(sha256(secret), hash)) return;
  throw new OAuthError('invalid_request', 'client_secret must be the present one');
}

function refused(): OAuthError {
  return new OAuthError('invalid_token', 'the registration access token is not valid for this client');
}
