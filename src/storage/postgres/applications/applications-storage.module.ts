import { Module } from '@nestjs/common';
import { ApplicationsStore } from '../../../domain/applications/applications.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgApplicationsStore } from './applications.store.js';

/** Applications, their keys and used client assertions. */
@Module(storeBindings([ApplicationsStore, PgApplicationsStore]))
export class ApplicationsStorageModule {}
