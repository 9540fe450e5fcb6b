import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ImportJobs } from './import-jobs.js';
import { ImportPermission } from './import-permission.js';
import { ImportSpace } from './import-space.js';
import { QueueImports } from './queue-imports.js';
import { ReceiveImport } from './receive-import.js';

const useCases = [QueueImports, ImportPermission, ImportSpace, ImportJobs, ReceiveImport];

/** Imports of files: received, looked at, steered. run-imports.module.ts does the work. */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class ImportsModule {}
