import { Module } from '@nestjs/common';
import { ApplicationsStore } from '../../domain/applications/applications.store.js';
import { ClientAssertionsStore } from '../../domain/client-auth/client-assertions.store.js';
import { PgApplicationsStore } from './applications/applications.store.js';
import { PgClientAssertionsStore } from './client-auth/client-assertions.store.js';
import { storeBindings } from './store-bindings.js';

/** Applications, their keys and what proved them. */
@Module(
  storeBindings([ApplicationsStore, PgApplicationsStore], [ClientAssertionsStore, PgClientAssertionsStore]),
)
export class ApplicationsStorageModule {}
