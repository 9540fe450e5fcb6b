import { Module } from '@nestjs/common';
import { ServiceUserClientsStore } from '../../domain/grants/service-user-clients.store.js';
import { ServiceUsersStore } from '../../domain/service-users/service-users.store.js';
import { PgServiceUserClientsStore } from './grants/service-user-clients.store.js';
import { PgServiceUsersStore } from './service-users/service-users.store.js';
import { storeBindings } from './store-bindings.js';

/** Service users and what they authenticate with. */
@Module(
  storeBindings(
    [ServiceUsersStore, PgServiceUsersStore],
    [ServiceUserClientsStore, PgServiceUserClientsStore],
  ),
)
export class ServiceUsersStorageModule {}
