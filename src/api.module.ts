import { OwnAccountController } from './http/auth-api/own-account.controller.js';
import { OwnPhoneController } from './http/auth-api/own-phone.controller.js';
import { OwnSessionsController } from './http/auth-api/own-sessions.controller.js';
import { SearchEvents } from './http/shared/search-events.js';
import { CallerLimits } from './http/shared/caller-limits.js';
import { TokenRules } from './http/shared/token-rules.js';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { AppConfig } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import {
  accountsRoom,
  authorizeRoom,
  clientsRoom,
  consentsRoom,
  eventsRoom,
  grantsRoom,
  idempotencyRoom,
  importJobsRoom,
  importUploadsRoom,
  importRoom,
  keysRoom,
  notificationsRoom,
  passwordsRoom,
  permissionsRoom,
  registrationRoom,
  policiesRoom,
  sessionsRoom,
  signInRoom,
  tokensRoom,
  orgsRoom,
  userGrantsRoom,
  usersRoom,
} from './domain/rooms.js';
import type { Clock } from './domain/shared/clock.js';
import type { Log } from './domain/shared/log.js';
import { domainSettings } from './domain-settings.js';
import { AdministrationController } from './http/admin-api/administration.controller.js';
import { RecordQueueAction } from './domain/maintenance/record-queue-action.js';
import { DashboardAccess } from './http/admin-api/dashboard-access.js';
import { OwnConsentsController } from './http/auth-api/own-consents.controller.js';
import { AccountsController } from './http/login/accounts.controller.js';
import { ConsentController } from './http/login/consent.controller.js';
import { AssetsController } from './http/login/assets.controller.js';
import { ForgottenPasswordController } from './http/login/forgotten-password.controller.js';
import { ChangePasswordController } from './http/login/change-password.controller.js';
import { FlowForms } from './http/login/flow-forms.js';
import { FlowReplies } from './http/login/flow-replies.js';
import { InitialPasswordController } from './http/login/initial-password.controller.js';
import { MailLinks } from './http/login/mail-links.js';
import { ResetPasswordController } from './http/login/reset-password.controller.js';
import { RegisterForms } from './http/login/register-forms.js';
import { RegisterResendController } from './http/login/register-resend.controller.js';
import { RegisterVerifyController } from './http/login/register-verify.controller.js';
import { RegisterController } from './http/login/register.controller.js';
import { RegistrationOffer } from './http/login/registration-offer.js';
import { RegistrationPages } from './http/login/registration-pages.js';
import { LogosController } from './http/login/logos.controller.js';
import { SignInController } from './http/login/sign-in.controller.js';
import { VerifyEmailStepController } from './http/login/verify-email-step.controller.js';
import { VerifyPhoneController } from './http/login/verify-phone.controller.js';
import { VerifyEmailController } from './http/login/verify-email.controller.js';
import { KeySetAudienceController } from './http/admin-api/key-set-audience.controller.js';
import { SigningKeysController } from './http/admin-api/signing-keys.controller.js';
import { NotificationProvidersController } from './http/admin-api/notification-providers.controller.js';
import { ProviderTestsController } from './http/admin-api/provider-tests.controller.js';
import { SmsBlocksController } from './http/admin-api/sms-blocks.controller.js';
import { OidcSettingsController } from './http/admin-api/oidc-settings.controller.js';
import { SecuritySettingsController } from './http/admin-api/security-settings.controller.js';
import { InstanceTemplatesController } from './http/admin-api/instance-templates.controller.js';
import { MessageTemplatesController } from './http/management-api/message-templates.controller.js';
import { PoliciesController } from './http/management-api/policies.controller.js';
import { ApplicationKeysController } from './http/management-api/application-keys.controller.js';
import { ApplicationsController } from './http/management-api/applications.controller.js';
import { ProjectChangesController } from './http/management-api/project-changes.controller.js';
import { ProjectRolesController } from './http/management-api/project-roles.controller.js';
import {
  GrantedProjectsController,
  ProjectGrantsController,
} from './http/management-api/project-grants.controller.js';
import { UserGrantsController } from './http/management-api/user-grants.controller.js';
import { OrganizationDomainsController } from './http/management-api/organization-domains.controller.js';
import { OrganizationsController } from './http/management-api/organizations.controller.js';
import { InstanceEventsController } from './http/admin-api/events.controller.js';
import { InstanceNotificationsController } from './http/admin-api/notifications.controller.js';
import { AdminOrganizationsController } from './http/admin-api/organizations.controller.js';
import { outboundRoom } from './outbound/outbound-room.js';
import { DnsTxtRecords } from './outbound/dns-txt-records.js';
import { MessageRenderer } from './domain/notifications/mail.js';
import { MailRenderer } from './mails/mail-renderer.js';
import { TxtRecords } from './domain/orgs/txt-records.js';
import { OrganizationMembersController } from './http/management-api/organization-members.controller.js';
import { InstanceMembersController } from './http/admin-api/instance-members.controller.js';
import { ProjectsController } from './http/management-api/projects.controller.js';
import { OrganizationRules } from './http/login/password-rules.js';
import { SecurityPoliciesController } from './http/management-api/security-policies.controller.js';
import { UserPhoneController } from './http/management-api/user-phone.controller.js';
import { UserAccountsController } from './http/management-api/user-accounts.controller.js';
import { EventsController } from './http/management-api/events.controller.js';
import { NotificationsController } from './http/management-api/notifications.controller.js';
import { UserListController } from './http/management-api/user-list.controller.js';
import { UserMetadataController } from './http/management-api/user-metadata.controller.js';
import { UserSessionsController } from './http/management-api/user-sessions.controller.js';
import { PersonalAccessTokensController } from './http/management-api/personal-access-tokens.controller.js';
import { ServiceUserKeysController } from './http/management-api/service-user-keys.controller.js';
import { ServiceUsersController } from './http/management-api/service-users.controller.js';
import { UsersController } from './http/management-api/users.controller.js';
import { ApiRoutes } from './http/openapi/api-routes.js';
import { ImportsController } from './http/management-api/imports.controller.js';
import { ImportStreamsController } from './http/management-api/import-streams.controller.js';
import { UploadSlots } from './http/management-api/upload-slots.js';
import { DataExport } from './http/admin-api/data-export.js';
import { DataExportController } from './http/admin-api/data-export.controller.js';
import { DataImport } from './http/admin-api/data-import.js';
import { DataImportController } from './http/admin-api/data-import.controller.js';
import { SentAgain } from './http/management-api/sent-again.js';
import { ReceiveUpload } from './http/management-api/receive-upload.js';
import { OpenApiController } from './http/openapi/openapi.controller.js';
import { AuthorizeController } from './http/oidc/authorize.controller.js';
import { DiscoveryController } from './http/oidc/discovery.controller.js';
import { EndSessionController } from './http/oidc/end-session.controller.js';
import { ClientRequests } from './http/oidc/client-requests.js';
import { IntrospectionController } from './http/oidc/introspection.controller.js';
import { ReportsController } from './http/notifications/reports.controller.js';
import { RevocationController } from './http/oidc/revocation.controller.js';
import { KeysController } from './http/oidc/keys.controller.js';
import { TokenController } from './http/oidc/token.controller.js';
import { UserinfoController } from './http/oidc/userinfo.controller.js';
import { AddressLimits } from './http/shared/address-limits.js';
import { AuthorizationResponses } from './http/shared/authorization-responses.js';
import { AgentCookie } from './http/shared/cookies.js';
import { Csrf } from './http/shared/csrf.js';
import { ErrorPages } from './http/shared/error-pages.js';
import { HealthController, ReadinessProbe } from './http/shared/health.controller.js';
import { OAuthErrorFilter } from './http/shared/oauth-error.filter.js';
import { PageLanguage } from './http/shared/page-language.js';
import { Pages } from './http/shared/pages.js';
import { Health } from './ops/health.js';
import { KeyMetrics } from './ops/key-metrics.js';
import { OpsModule } from './ops/ops.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { RedisModule } from './storage/redis/redis.module.js';
import { StorageModule } from './storage/storage.module.js';

const oidcControllers = [
  DiscoveryController,
  KeysController,
  AuthorizeController,
  TokenController,
  UserinfoController,
  IntrospectionController,
  RevocationController,
  ReportsController,
  EndSessionController,
];
const loginControllers = [
  SignInController,
  AccountsController,
  ConsentController,
  OwnConsentsController,
  ChangePasswordController,
  VerifyEmailStepController,
  InitialPasswordController,
  VerifyEmailController,
  VerifyPhoneController,
  ForgottenPasswordController,
  ResetPasswordController,
  RegisterController,
  RegisterVerifyController,
  RegisterResendController,
  AdministrationController,
  AssetsController,
  LogosController,
];

const managementControllers = [
  UsersController,
  UserListController,
  EventsController,
  NotificationsController,
  UserAccountsController,
  UserPhoneController,
  UserMetadataController,
  UserSessionsController,
  ProjectsController,
  PoliciesController,
  MessageTemplatesController,
  InstanceTemplatesController,
  SecurityPoliciesController,
  ServiceUsersController,
  ServiceUserKeysController,
  PersonalAccessTokensController,
  ProjectChangesController,
  ProjectRolesController,
  ApplicationsController,
  ProjectGrantsController,
  GrantedProjectsController,
  UserGrantsController,
  ApplicationKeysController,
  OrganizationsController,
  OrganizationDomainsController,
  AdminOrganizationsController,
  InstanceEventsController,
  InstanceNotificationsController,
  OrganizationMembersController,
  InstanceMembersController,
  OidcSettingsController,
  SecuritySettingsController,
  ImportsController,
  ImportStreamsController,
  DataImportController,
  DataExportController,
  KeySetAudienceController,
  SigningKeysController,
  NotificationProvidersController,
  ProviderTestsController,
  SmsBlocksController,
];

const authControllers = [OwnAccountController, OwnPhoneController, OwnSessionsController];

const httpShared: Provider[] = [
  AddressLimits,
  CallerLimits,
  UploadSlots,
  SearchEvents,
  SentAgain,
  ReceiveUpload,
  DataImport,
  DataExport,
  TokenRules,
  AgentCookie,
  ClientRequests,
  AuthorizationResponses,
  Csrf,
  ErrorPages,
  OAuthErrorFilter,
  PageLanguage,
  Pages,
];
const loginShared: Provider[] = [
  FlowForms,
  FlowReplies,
  MailLinks,
  OrganizationRules,
  RegisterForms,
  RegistrationOffer,
  RegistrationPages,
];

const readinessProbe: Provider = {
  provide: ReadinessProbe,
  inject: [Health],
  useFactory: (health: Health): ReadinessProbe => ({ isReady: async () => (await health.ready()).healthy }),
};

/** Composition root of the API process: names every room, holds no logic. */
@Module({})
export class ApiModule {
  static with(config: AppConfig, log: Log, clock?: Clock): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        DiscoveryModule,
        ConfigModule.with(config, log, clock),
        StorageModule,
        RedisModule,
        QueuesModule,
        OpsModule.forProcess('api'),
      ],
      controllers: [
        ...oidcControllers,
        ...loginControllers,
        ...managementControllers,
        ...authControllers,
        OpenApiController,
        HealthController,
      ],
      providers: [
        ...domainSettings,
        ...keysRoom,
        KeyMetrics,
        ...tokensRoom,
        ...passwordsRoom,
        ...notificationsRoom,
        ...outboundRoom,
        ...sessionsRoom,
        ...signInRoom,
        ...usersRoom,
        ...accountsRoom,
        ...importRoom,
        ...importJobsRoom,
        ...importUploadsRoom,
        ...clientsRoom,
        ...consentsRoom,
        ...eventsRoom,
        ...orgsRoom,
        { provide: TxtRecords, useClass: DnsTxtRecords },
        { provide: MessageRenderer, useClass: MailRenderer },
        ...userGrantsRoom,
        ...permissionsRoom,
        ...policiesRoom,
        ...idempotencyRoom,
        ...authorizeRoom,
        ...registrationRoom,
        ...grantsRoom,
        ...httpShared,
        ...loginShared,
        ApiRoutes,
        DashboardAccess,
        RecordQueueAction,
        readinessProbe,
      ],
    };
  }
}
