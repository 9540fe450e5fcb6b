import { Module } from '@nestjs/common';
import { ImportChunksStore } from '../../../domain/imports/chunks/import-chunks.store.js';
import { ExportStore } from '../../../domain/imports/export.store.js';
import { ImportsStore } from '../../../domain/imports/imports.store.js';
import { ImportUsersStore } from '../../../domain/imports/write/import-users.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgExportStore } from './export.store.js';
import { PgImportChunksStore } from './import-chunks.store.js';
import { PgImportUsersStore } from './import-users.store.js';
import { PgImportsStore } from './imports.store.js';

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
