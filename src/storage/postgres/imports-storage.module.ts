import { Module } from '@nestjs/common';
import { ExportStore } from '../../domain/exports/export.store.js';
import { ImportAftercareStore } from '../../domain/import-jobs/import-aftercare.store.js';
import { ImportChunksStore } from '../../domain/import-jobs/import-chunks.store.js';
import { ImportJobsStore } from '../../domain/import-jobs/import-jobs.store.js';
import { ImportSpaceStore } from '../../domain/import-jobs/import-space.store.js';
import { ImportUsersStore } from '../../domain/import-jobs/import-users.store.js';
import { PgExportStore } from './pg-export.store.js';
import { PgImportAftercareStore } from './pg-import-aftercare.store.js';
import { PgImportChunksStore } from './pg-import-chunks.store.js';
import { PgImportJobsStore } from './pg-import-jobs.store.js';
import { PgImportSpaceStore } from './pg-import-space.store.js';
import { PgImportUsersStore } from './pg-import-users.store.js';
import { storeBindings } from './store-bindings.js';

/** Imports, and the way back: exports. */
@Module(
  storeBindings(
    [ImportJobsStore, PgImportJobsStore],
    [ImportChunksStore, PgImportChunksStore],
    [ImportUsersStore, PgImportUsersStore],
    [ImportAftercareStore, PgImportAftercareStore],
    [ImportSpaceStore, PgImportSpaceStore],
    [ExportStore, PgExportStore],
  ),
)
export class ImportsStorageModule {}
