import { Module } from '@nestjs/common';
import { ApplicationsStore } from '../../domain/applications/applications.store.js';
import { ApplicationKeysStore } from '../../domain/applications/keys/application-keys.store.js';
import { ClientAssertionsStore } from '../../domain/client-auth/client-assertions.store.js';
import { PgApplicationKeysStore } from './applications/application-keys.store.js';
import { PgApplicationsStore } from './applications/applications.store.js';
import { PgClientAssertionsStore } from './client-auth/client-assertions.store.js';
import { storeBindings } from './store-bindings.js';

/** Applications, their keys and what proved them. */
@Module(
  storeBindings(
    [ApplicationsStore, PgApplicationsStore],
    [ApplicationKeysStore, PgApplicationKeysStore],
    [ClientAssertionsStore, PgClientAssertionsStore],
  ),
)
export class ApplicationsStorageModule {}
