import { Module } from '@nestjs/common';
import { BeginBulkAction } from './begin-bulk-action.js';

/** Actions on many users: begun, looked at, cancelled. run-bulk-actions.module.ts does the work. */
@Module({ providers: [BeginBulkAction], exports: [BeginBulkAction] })
export class BulkActionsModule {}
