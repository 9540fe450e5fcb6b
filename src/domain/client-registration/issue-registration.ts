import { Injectable } from '@nestjs/common';
import { sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { ClientRegistrationSettings } from './client-registration-settings.js';
import { newRegistrationToken } from './configuration/registration-tokens.js';
import type { ReadMetadata } from './metadata/client-metadata.js';
import { registrationAnswer, type RegistrationAnswer } from './registration-answer.js';
import { StoreRegisteredClient, type RegisteredPlace } from './store-registered-client.js';

/** Stores a new client, and returns its registration and the token with which it manages that. */
@Injectable()
export class IssueRegistration {
  constructor(
    private readonly storeClient: StoreRegisteredClient,
    private readonly keys: KeySettings,
    private readonly settings: ClientRegistrationSettings,
  ) {}

  /** @throws ApiError not-found where the project is gone */
  async execute(tx: Tx, read: ReadMetadata, place: RegisteredPlace): Promise<RegistrationAnswer> {
    const registrationToken = newRegistrationToken();
    const tokenHash = sha256(registrationToken);
    const stored = await this.storeClient.execute(tx, read, place, { tokenHash });
    const { clientId, clientSecret, registeredAt } = stored;
    const { name, config, allowedScopes, keys, metadata } = read;
    const registered = { clientId, name, config, allowedScopes, keys, metadata, registeredAt };
    const { issuer } = this.settings;
    const { algorithm } = this.keys;
    return registrationAnswer(registered, { issuer, registrationToken, algorithm, clientSecret });
  }
}
