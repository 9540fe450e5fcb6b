import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { KeySettings } from '../../signing-keys/key-settings.js';
import { ClientRegistrationSettings } from '../client-registration-settings.js';
import { placeOf } from '../client-registrations.store.js';
import { registrationAnswer, type RegistrationAnswer } from '../registration-answer.js';
import { AuthenticateRegistration } from './authenticate-registration.js';

/** Returns a client's registration to it (RFC 7592 §2.1). */
@Injectable()
export class ReadRegistration {
  constructor(
    private readonly authenticate: AuthenticateRegistration,
    private readonly applications: ApplicationsStore,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /** @param clientSecret that was just made, if one was @throws OAuthError invalid_token */
  async execute(
    clientId: string,
    registrationToken: string | undefined,
    clientSecret?: string,
  ): Promise<RegistrationAnswer> {
    const found = await this.authenticate.execute(clientId, registrationToken);
    const { metadata, registeredAt } = found;
    const { name, config, allowedScopes, clientId: id } = await this.authenticate.recordOf(found);
    const keys = await this.applications.listOwnKeys(placeOf(found));
    const registered = {
      clientId: id,
      name,
      config,
      allowedScopes: allowedScopes ?? [],
      keys,
      metadata,
      registeredAt,
    };
    const { issuer } = this.settings;
    const { algorithm } = this.keys;
    const given = { issuer, registrationToken: registrationToken ?? '', algorithm, clientSecret };
    return registrationAnswer(registered, given);
  }
}
