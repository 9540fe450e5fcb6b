import { Module } from '@nestjs/common';
import { ClientRegistrationsStore } from '../../../domain/client-registration/client-registrations.store.js';
import { InitialAccessTokensStore } from '../../../domain/client-registration/initial-access/initial-access-tokens.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgClientRegistrationsStore } from './client-registrations.store.js';
import { PgInitialAccessTokensStore } from './initial-access-tokens.store.js';

/** Applications that registered themselves, and what let them. */
@Module(
  storeBindings(
    [InitialAccessTokensStore, PgInitialAccessTokensStore],
    [ClientRegistrationsStore, PgClientRegistrationsStore],
  ),
)
export class ClientRegistrationStorageModule {}
