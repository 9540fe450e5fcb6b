import { Module } from '@nestjs/common';
import { CredentialsStore } from '../../../domain/members/credentials.store.js';
import { MembersStore } from '../../../domain/members/members.store.js';
import { PermissionsStore } from '../../../domain/permissions/permissions.store.js';
import { RoleAssignmentsStore } from '../../../domain/role-assignments/role-assignments.store.js';
import { PgCredentialsStore } from '../members/credentials.store.js';
import { PgMembersStore } from '../members/members.store.js';
import { PgRoleAssignmentsStore } from '../role-assignments/role-assignments.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgPermissionsStore } from './permissions.store.js';

/** Who may do what: members of instance and organizations, and roles of projects. */
@Module(
  storeBindings(
    [PermissionsStore, PgPermissionsStore],
    [MembersStore, PgMembersStore],
    [CredentialsStore, PgCredentialsStore],
    [RoleAssignmentsStore, PgRoleAssignmentsStore],
  ),
)
export class PermissionsStorageModule {}
