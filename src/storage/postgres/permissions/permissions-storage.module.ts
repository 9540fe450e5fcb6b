import { Module } from '@nestjs/common';
import { MembersStore } from '../../../domain/members/members.store.js';
import { PermissionsStore } from '../../../domain/permissions/permissions.store.js';
import { RoleAssignmentsStore } from '../../../domain/role-assignments/role-assignments.store.js';
import { PgMembersStore } from '../members/members.store.js';
import { PgRoleAssignmentsStore } from '../role-assignments/role-assignments.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgPermissionsStore } from './permissions.store.js';

/** Who may do what: members of instance and organizations, and roles of projects. */
@Module(
  storeBindings(
    [PermissionsStore, PgPermissionsStore],
    [MembersStore, PgMembersStore],
    [RoleAssignmentsStore, PgRoleAssignmentsStore],
  ),
)
export class PermissionsStorageModule {}
