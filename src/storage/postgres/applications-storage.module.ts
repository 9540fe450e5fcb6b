import { Module } from '@nestjs/common';
import { ClientAssertionsStore } from '../../domain/client-auth/client-assertions.store.js';
import { ApplicationAccessStore } from '../../domain/clients/application-access.store.js';
import { ApplicationRecordsStore } from '../../domain/clients/application-records.store.js';
import { ApplicationsStore } from '../../domain/clients/applications.store.js';
import { ApplicationKeysStore } from '../../domain/clients/keys/application-keys.store.js';
import { PgApplicationAccessStore } from './pg-application-access.store.js';
import { PgApplicationKeysStore } from './pg-application-keys.store.js';
import { PgApplicationRecordsStore } from './pg-application-records.store.js';
import { PgApplicationsStore } from './pg-applications.store.js';
import { PgClientAssertionsStore } from './pg-client-assertions.store.js';
import { storeBindings } from './store-bindings.js';

/** Applications, their keys and what proved them. */
@Module(
  storeBindings(
    [ApplicationsStore, PgApplicationsStore],
    [ApplicationRecordsStore, PgApplicationRecordsStore],
    [ApplicationAccessStore, PgApplicationAccessStore],
    [ApplicationKeysStore, PgApplicationKeysStore],
    [ClientAssertionsStore, PgClientAssertionsStore],
  ),
)
export class ApplicationsStorageModule {}
