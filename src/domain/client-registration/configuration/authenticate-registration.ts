import { Injectable } from '@nestjs/common';
import { isClientId } from '../../applications/application.js';
import {
  ApplicationsStore,
  type ApplicationPlace,
  type ApplicationRecord,
} from '../../applications/applications.store.js';
import { OAuthError, OAuthForbiddenError } from '../../shared/errors.js';
import { sha256 } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ClientRegistrationSettings, servesRegistration } from '../client-registration-settings.js';
import { ClientRegistrationsStore, placeOf, type StoredRegistration } from '../client-registrations.store.js';

export type OidcRecord = Extract<ApplicationRecord, { type: 'oidc' }>;

export interface LockedClient {
  readonly place: ApplicationPlace;
  readonly record: OidcRecord;
  readonly secretHash: Buffer | null;
}

/**
 * Whose client it is says the registration access token, to whoever reads, replaces or removes what that client registered (the
 * client configuration endpoint, RFC 7592 §2). A client of somebody else's and one that is not there look alike.
 */
@Injectable()
export class AuthenticateRegistration {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly applications: ApplicationsStore,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /** @throws OAuthError invalid_token */
  async execute(clientId: string, token: string | undefined, tx?: Tx): Promise<StoredRegistration> {
    if (token === undefined || !isClientId(clientId)) throw refused();
    const found = await this.registrations.find(clientId, sha256(token), tx);
    if (found === undefined || !servesRegistration(this.settings, found.registration)) throw refused();
    return found;
  }

  /** What is on file of it. @throws OAuthError invalid_token */
  async recordOf(found: StoredRegistration, tx?: Tx): Promise<OidcRecord> {
    const record = await this.applications.find(placeOf(found), tx);
    if (record?.type !== 'oidc') throw refused();
    return record;
  }

  /** As it is now, and nobody else changes it until the transaction ends. @throws OAuthError */
  async lock(
    tx: Tx,
    found: StoredRegistration,
    clientId: string,
    token: string | undefined,
  ): Promise<LockedClient> {
    const place = placeOf(found);
    const locked = await this.applications.lock(tx, place);
    // somebody may have ended the token since (RegistrationTokens)
    await this.execute(clientId, token, tx);
    const record = await this.recordOf(found, tx);
    if (locked === undefined) throw refused();
    // what decides who acts by it is changed by who gave it that access, and by nobody else (ChangeManagementAccess)
    if ((record.config.managementAccess ?? 'none') !== 'none') {
      throw new OAuthForbiddenError('access_denied', 'an administrator looks after this client now');
    }
    return { place, record, secretHash: locked.clientSecretHash };
  }
}

function refused(): OAuthError {
  return new OAuthError('invalid_token', 'the registration access token is not valid for this client');
}
