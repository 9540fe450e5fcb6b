import { Module } from '@nestjs/common';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { ExternalUser } from './external-user.js';
import { LinkIdentity } from './link-identity.js';
import { ManageIdentityProviders } from './manage-identity-providers.js';

const useCases = [ManageIdentityProviders, ExternalUser, LinkIdentity];

/** Whoever else people may sign in with, and who they are there. */
@Module({ imports: [RoleAssignmentsModule, StatisticsModule], providers: useCases, exports: useCases })
export class IdentityProvidersModule {}
