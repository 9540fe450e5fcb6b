import { Module } from '@nestjs/common';
import { ExportStore } from '../../domain/imports/export.store.js';
import { ImportChunksStore } from '../../domain/imports/import-chunks.store.js';
import { ImportJobsStore } from '../../domain/imports/import-jobs.store.js';
import { ImportSpaceStore } from '../../domain/imports/import-space.store.js';
import { ImportUsersStore } from '../../domain/imports/import-users.store.js';
import { PostImportStore } from '../../domain/imports/post-import.store.js';
import { PgExportStore } from './imports/export.store.js';
import { PgImportChunksStore } from './imports/import-chunks.store.js';
import { PgImportJobsStore } from './imports/import-jobs.store.js';
import { PgImportSpaceStore } from './imports/import-space.store.js';
import { PgImportUsersStore } from './imports/import-users.store.js';
import { PgPostImportStore } from './imports/post-import.store.js';
import { storeBindings } from './store-bindings.js';

/** Imports, and the way back: exports. */
@Module(
  storeBindings(
    [ImportJobsStore, PgImportJobsStore],
    [ImportChunksStore, PgImportChunksStore],
    [ImportUsersStore, PgImportUsersStore],
    [PostImportStore, PgPostImportStore],
    [ImportSpaceStore, PgImportSpaceStore],
    [ExportStore, PgExportStore],
  ),
)
export class ImportsStorageModule {}
