import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HumanImportModule } from '../imports/records/human-import.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { ChangeProvisionedUser } from './change-provisioned-user.js';
import { CreateProvisionedUser } from './create-provisioned-user.js';
import { DeleteProvisionedUser } from './delete-provisioned-user.js';
import { FindProvisionedUsers } from './find-provisioned-users.js';
import { LockProvisionedUser } from './lock-provisioned-user.js';
import { ProvisionGroups } from './provision-groups.js';
import { ScimTokens } from './scim-tokens.js';
import { WriteContacts } from './write-contacts.js';
import { WriteProvisionedEntry } from './write-provisioned-entry.js';
import { WriteProvisionedUser } from './write-provisioned-user.js';

const useCases = [
  ScimTokens,
  FindProvisionedUsers,
  CreateProvisionedUser,
  LockProvisionedUser,
  WriteContacts,
  WriteProvisionedEntry,
  WriteProvisionedUser,
  ChangeProvisionedUser,
  DeleteProvisionedUser,
  ProvisionGroups,
];

/** What directories provision: the users of an organization, and who has which role of a project. */
@Module({
  imports: [AccountsModule, HumanImportModule, PermissionsModule, ProjectsModule, RoleAssignmentsModule],
  providers: useCases,
  exports: useCases,
})
export class ScimModule {}
