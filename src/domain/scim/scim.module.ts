import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HumanImportModule } from '../imports/records/human-import.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { ProvisionGroups } from './provision-groups.js';
import { ProvisionUsers } from './provision-users.js';
import { ScimTokens } from './scim-tokens.js';

const useCases = [ScimTokens, ProvisionUsers, ProvisionGroups];

/** What directories provision: the users of an organization, and who has which role of a project. */
@Module({
  imports: [AccountsModule, HumanImportModule, PermissionsModule, ProjectsModule, RoleAssignmentsModule],
  providers: useCases,
  exports: useCases,
})
export class ScimModule {}
