import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ActOnUser } from './act-on-user.js';
import { RunBulkAction } from './run-bulk-action.js';

/** The part of an action on many users that a worker does. */
@Module({
  imports: [AccountsModule, PermissionsModule],
  providers: [ActOnUser, RunBulkAction],
  exports: [RunBulkAction],
})
export class RunBulkActionsModule {}
