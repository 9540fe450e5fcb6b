import { Module } from '@nestjs/common';
import { ServiceUsersStore } from '../../domain/service-users/service-users.store.js';
import { PgServiceUsersStore } from './service-users/service-users.store.js';
import { storeBindings } from './store-bindings.js';

/** Service users and what they authenticate with. */
@Module(storeBindings([ServiceUsersStore, PgServiceUsersStore]))
export class ServiceUsersStorageModule {}
