import { Module } from '@nestjs/common';
import { ManageRoleAssignments } from './manage-role-assignments.js';

/** Roles of projects that users hold. */
@Module({ providers: [ManageRoleAssignments], exports: [ManageRoleAssignments] })
export class RoleAssignmentsModule {}
