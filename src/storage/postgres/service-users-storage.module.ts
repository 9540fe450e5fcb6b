import { Module } from '@nestjs/common';
import { ServiceUserClientsStore } from '../../domain/grants/service-user-clients.store.js';
import { PersonalAccessTokensStore } from '../../domain/service-users/personal-access-tokens.store.js';
import { ServiceUserKeysStore } from '../../domain/service-users/service-user-keys.store.js';
import { ServiceUsersStore } from '../../domain/service-users/service-users.store.js';
import { PgServiceUserClientsStore } from './grants/service-user-clients.store.js';
import { PgPersonalAccessTokensStore } from './service-users/personal-access-tokens.store.js';
import { PgServiceUserKeysStore } from './service-users/service-user-keys.store.js';
import { PgServiceUsersStore } from './service-users/service-users.store.js';
import { storeBindings } from './store-bindings.js';

/** Service users and what they authenticate with. */
@Module(
  storeBindings(
    [ServiceUsersStore, PgServiceUsersStore],
    [ServiceUserClientsStore, PgServiceUserClientsStore],
    [ServiceUserKeysStore, PgServiceUserKeysStore],
    [PersonalAccessTokensStore, PgPersonalAccessTokensStore],
  ),
)
export class ServiceUsersStorageModule {}
