import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { UsersModule } from '../users/users.module.js';
import { AskDirectory } from './ask-directory.js';
import { ExternalUser } from './external-user.js';
import { LinkIdentity } from './link-identity.js';
import { LookAfterProviders } from './look-after-providers.js';
import { ManageIdentities } from './manage-identities.js';
import { ManageIdentityProviders } from './manage-identity-providers.js';
import { PrepareProvider } from './prepare-provider.js';
import { WarnOfExpiry } from './warn-of-expiry.js';

const useCases = [
  ManageIdentityProviders,
  PrepareProvider,
  WarnOfExpiry,
  LookAfterProviders,
  ManageIdentities,
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
