import { Module } from '@nestjs/common';
import { ManageUserGrants } from './manage-user-grants.js';

/** Roles of projects that users hold. */
@Module({ providers: [ManageUserGrants], exports: [ManageUserGrants] })
export class RoleAssignmentsModule {}
