import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { UsersModule } from '../users/users.module.js';
import { ExternalUser } from './external-user.js';
import { FindNameableProvider } from './find-nameable-provider.js';
import { AddIdentity } from './identities/add-identity.js';
import { LinkIdentity } from './identities/link-identity.js';
import { ListIdentities } from './identities/list-identities.js';
import { RemoveIdentity } from './identities/remove-identity.js';
import { AskDirectory } from './ldap/ask-directory.js';
import { ManageIdentityProviders } from './manage-identity-providers.js';
import { MappedRoles } from './mapped-roles.js';
import { PrepareProvider } from './prepare-provider.js';
import { RefreshProviders } from './refresh-providers.js';
import { WarnOfExpiry } from './warn-of-expiry.js';

const useCases = [
  ManageIdentityProviders,
  PrepareProvider,
  WarnOfExpiry,
  RefreshProviders,
  ListIdentities,
  FindNameableProvider,
  AddIdentity,
  RemoveIdentity,
  MappedRoles,
  ExternalUser,
  LinkIdentity,
  AskDirectory,
];

/** Whoever else people may sign in with, and who they are there. */
@Module({
  imports: [PermissionsModule, PoliciesModule, RoleAssignmentsModule, StatisticsModule, UsersModule],
  providers: useCases,
  exports: useCases,
})
export class IdentityProvidersModule {}
