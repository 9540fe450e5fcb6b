import { Module } from '@nestjs/common';
import { ImportChunksStore } from '../../domain/imports/chunks/import-chunks.store.js';
import { ExportStore } from '../../domain/imports/export.store.js';
import { ImportsStore } from '../../domain/imports/imports.store.js';
import { ImportUsersStore } from '../../domain/imports/write/import-users.store.js';
import { PgExportStore } from './imports/export.store.js';
import { PgImportChunksStore } from './imports/import-chunks.store.js';
import { PgImportUsersStore } from './imports/import-users.store.js';
import { PgImportsStore } from './imports/imports.store.js';
import { storeBindings } from './store-bindings.js';

/** Imports, and the way back: exports. */
@Module(
  storeBindings(
    [ImportsStore, PgImportsStore],
    [ImportChunksStore, PgImportChunksStore],
    [ImportUsersStore, PgImportUsersStore],
    [ExportStore, PgExportStore],
  ),
)
export class ImportsStorageModule {}
