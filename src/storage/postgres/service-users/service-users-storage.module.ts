import { Module } from '@nestjs/common';
import { ServiceUsersStore } from '../../../domain/service-users/service-users.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgServiceUsersStore } from './service-users.store.js';

/** Service users and what they authenticate with. */
@Module(storeBindings([ServiceUsersStore, PgServiceUsersStore]))
export class ServiceUsersStorageModule {}
