import { Module } from '@nestjs/common';
import { ServiceUserClientsStore } from '../../domain/grants/service-user-clients.store.js';
import { MachineKeysStore } from '../../domain/users/machines/machine-keys.store.js';
import { ServiceUsersStore } from '../../domain/users/machines/service-users.store.js';
import { PersonalAccessTokensStore } from '../../domain/users/personal-access-tokens.store.js';
import { PgMachineKeysStore } from './pg-machine-keys.store.js';
import { PgPersonalAccessTokensStore } from './pg-personal-access-tokens.store.js';
import { PgServiceUserClientsStore } from './pg-service-user-clients.store.js';
import { PgServiceUsersStore } from './pg-service-users.store.js';
import { storeBindings } from './store-bindings.js';

/** Service users and what they authenticate with. */
@Module(
  storeBindings(
    [ServiceUsersStore, PgServiceUsersStore],
    [ServiceUserClientsStore, PgServiceUserClientsStore],
    [MachineKeysStore, PgMachineKeysStore],
    [PersonalAccessTokensStore, PgPersonalAccessTokensStore],
  ),
)
export class ServiceUsersStorageModule {}
