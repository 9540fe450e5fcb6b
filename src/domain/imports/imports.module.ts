import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { EndImport } from './end-import.js';
import { ImportEvents } from './import-events.js';
import { ImportJobs } from './import-jobs.js';
import { ImportPermission } from './import-permission.js';
import { QueueImports } from './queue-imports.js';
import { BeginImport } from './receive/begin-import.js';
import { FillImport } from './receive/fill-import.js';
import { ImportSpace } from './receive/import-space.js';
import { ReceiveImport } from './receive/receive-import.js';
import { RetryImport } from './receive/retry-import.js';
import { SteerImport } from './steer-import.js';

const useCases = [
  QueueImports,
  ImportPermission,
  ImportSpace,
  ImportEvents,
  EndImport,
  BeginImport,
  FillImport,
  ImportJobs,
  SteerImport,
  RetryImport,
  ReceiveImport,
];

/** Imports of files: received, looked at, steered. run-imports.module.ts does the work. */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class ImportsModule {}
