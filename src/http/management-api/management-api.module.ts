import { Module } from '@nestjs/common';
import { AccountsModule } from '../../domain/accounts/accounts.module.js';
import { ApplicationsModule } from '../../domain/applications/applications.module.js';
import { BulkActionsModule } from '../../domain/bulk-actions/bulk-actions.module.js';
import { ClaimsPreviewModule } from '../../domain/claims-preview/claims-preview.module.js';
import { ClaimsWebhookModule } from '../../domain/claims-webhook/claims-webhook.module.js';
import { ClientRegistrationModule } from '../../domain/client-registration/client-registration.module.js';
import { FactorsModule } from '../../domain/factors/factors.module.js';
import { IdentityProvidersModule } from '../../domain/identity-providers/identity-providers.module.js';
import { ImportsModule } from '../../domain/imports/imports.module.js';
import { HumanImportModule } from '../../domain/imports/records/human-import.module.js';
import { MembersModule } from '../../domain/members/members.module.js';
import { DeliveriesModule } from '../../domain/notifications/ledger/deliveries.module.js';
import { MessageTemplatesModule } from '../../domain/notifications/templates/message-templates.module.js';
import { OrganizationsModule } from '../../domain/organizations/organizations.module.js';
import { PasskeysModule } from '../../domain/passkeys/passkeys.module.js';
import { PoliciesModule } from '../../domain/policies/policies.module.js';
import { ProjectGrantsModule } from '../../domain/project-grants/project-grants.module.js';
import { ProjectsModule } from '../../domain/projects/projects.module.js';
import { RoleAssignmentsModule } from '../../domain/role-assignments/role-assignments.module.js';
import { ScimModule } from '../../domain/scim/scim.module.js';
import { ServiceUsersModule } from '../../domain/service-users/service-users.module.js';
import { StatisticsModule } from '../../domain/statistics/statistics.module.js';
import { UserMigrationModule } from '../../domain/user-migration/user-migration.module.js';
import { UsersModule } from '../../domain/users/users.module.js';
import { WebhooksModule } from '../../domain/webhooks/webhooks.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { ApplicationKeysController } from './application-keys.controller.js';
import { ApplicationPreviewsController } from './application-previews.controller.js';
import { ApplicationsController } from './applications.controller.js';
import { BrandingPolicyController } from './branding-policy.controller.js';
import { BulkActionsController } from './bulk-actions.controller.js';
import { ClaimsWebhookController } from './claims-webhook.controller.js';
import { EventsController } from './events.controller.js';
import { IdentityProvidersController } from './identity-providers.controller.js';
import { ImportStreamsController } from './import-streams.controller.js';
import { ImportsController } from './imports.controller.js';
import { InitialAccessTokensController } from './initial-access-tokens.controller.js';
import { MessageTemplatesController } from './message-templates.controller.js';
import { NotificationsController } from './notifications.controller.js';
import { OfferedIdentityProvidersController } from './offered-identity-providers.controller.js';
import { OrganizationDomainsController } from './organization-domains.controller.js';
import { OrganizationMembersController } from './organization-members.controller.js';
import { OrganizationsController } from './organizations.controller.js';
import { PersonalAccessTokensController } from './personal-access-tokens.controller.js';
import { PoliciesController } from './policies.controller.js';
import { GrantedProjectsController, ProjectGrantsController } from './project-grants.controller.js';
import { ProjectRolesController } from './project-roles.controller.js';
import { ProjectsController } from './projects.controller.js';
import { RegistrationTokenController } from './registration-token.controller.js';
import {
  ProjectRoleAssignmentsController,
  RoleAssignmentsController,
} from './role-assignments.controller.js';
import { ScimTokensController } from './scim-tokens.controller.js';
import { ServiceUserKeysController } from './service-user-keys.controller.js';
import { ServiceUsersController } from './service-users.controller.js';
import { StatisticsController } from './statistics.controller.js';
import { TokenPolicyController } from './token-policy.controller.js';
import { UserAccountsController } from './user-accounts.controller.js';
import { UserFactorsController } from './user-factors.controller.js';
import { UserIdentitiesController } from './user-identities.controller.js';
import { UserMetadataController } from './user-metadata.controller.js';
import { UserMigrationController } from './user-migration.controller.js';
import { UserPasskeyLinksController } from './user-passkey-links.controller.js';
import { UserPasskeysController } from './user-passkeys.controller.js';
import { UserPasswordController } from './user-password.controller.js';
import { UserPhoneController } from './user-phone.controller.js';
import { UserSessionsController } from './user-sessions.controller.js';
import { UsersController } from './users.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** /management/v1: one organization, by those who administer it. */
@Module({
  imports: [
    AccountsModule,
    ApplicationsModule,
    BulkActionsModule,
    ClaimsPreviewModule,
    ClientRegistrationModule,
    DeliveriesModule,
    FactorsModule,
    HttpSharedModule,
    HumanImportModule,
    IdentityProvidersModule,
    ImportsModule,
    MembersModule,
    MessageTemplatesModule,
    OrganizationsModule,
    PasskeysModule,
    PoliciesModule,
    ProjectGrantsModule,
    ProjectsModule,
    RoleAssignmentsModule,
    ScimModule,
    WebhooksModule,
    ClaimsWebhookModule,
    ServiceUsersModule,
    StatisticsModule,
    UserMigrationModule,
    UsersModule,
  ],
  controllers: [
    UsersController,
    BulkActionsController,
    EventsController,
    StatisticsController,
    NotificationsController,
    UserAccountsController,
    UserPhoneController,
    UserPasswordController,
    UserMetadataController,
    UserPasskeysController,
    UserIdentitiesController,
    UserPasskeyLinksController,
    UserFactorsController,
    UserSessionsController,
    ProjectsController,
    PoliciesController,
    BrandingPolicyController,
    TokenPolicyController,
    MessageTemplatesController,
    ServiceUsersController,
    ServiceUserKeysController,
    PersonalAccessTokensController,
    ProjectRolesController,
    ApplicationsController,
    ApplicationPreviewsController,
    ProjectGrantsController,
    GrantedProjectsController,
    RoleAssignmentsController,
    ProjectRoleAssignmentsController,
    ApplicationKeysController,
    OrganizationsController,
    OrganizationDomainsController,
    OrganizationMembersController,
    OfferedIdentityProvidersController,
    IdentityProvidersController,
    ScimTokensController,
    InitialAccessTokensController,
    RegistrationTokenController,
    WebhooksController,
    UserMigrationController,
    ClaimsWebhookController,
    ImportsController,
    ImportStreamsController,
  ],
})
export class ManagementApiModule {}
