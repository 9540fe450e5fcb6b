import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../../domain/applications/applications.module.js';
import { HealthModule } from '../../domain/health/health.module.js';
import { IdentityProvidersModule } from '../../domain/identity-providers/identity-providers.module.js';
import { ImportsModule } from '../../domain/imports/imports.module.js';
import { MaintenanceModule } from '../../domain/maintenance/maintenance.module.js';
import { MembersModule } from '../../domain/members/members.module.js';
import { SmsLimitsModule } from '../../domain/notifications/abuse/sms-limits.module.js';
import { DeliveriesModule } from '../../domain/notifications/ledger/deliveries.module.js';
import { NotificationProvidersModule } from '../../domain/notifications/providers/notification-providers.module.js';
import { MessageTemplatesModule } from '../../domain/notifications/templates/message-templates.module.js';
import { OrganizationsModule } from '../../domain/organizations/organizations.module.js';
import { PoliciesModule } from '../../domain/policies/policies.module.js';
import { SigningKeysModule } from '../../domain/signing-keys/signing-keys.module.js';
import { StatisticsModule } from '../../domain/statistics/statistics.module.js';
import { WebhooksModule } from '../../domain/webhooks/webhooks.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { AdministrationController } from './administration.controller.js';
import { DataExportController } from './data-export.controller.js';
import { DataExport } from './data-export.js';
import { DataImportController } from './data-import.controller.js';
import { DataImport } from './data-import.js';
import { InstanceEventsController } from './events.controller.js';
import { ExportPolicies } from './export-policies.js';
import { ExportProjects } from './export-projects.js';
import { FactorSettingsController } from './factor-settings.controller.js';
import { InstanceHealthController } from './health.controller.js';
import { InstanceIdentityProvidersController } from './instance-identity-providers.controller.js';
import { InstanceMembersController } from './instance-members.controller.js';
import { InstanceTemplatesController } from './instance-templates.controller.js';
import { InstanceWebhooksController } from './instance-webhooks.controller.js';
import { KeySetAudienceController } from './key-set-audience.controller.js';
import { NotificationProvidersController } from './notification-providers.controller.js';
import { InstanceNotificationsController } from './notifications.controller.js';
import { OidcSettingsController } from './oidc-settings.controller.js';
import { AdminOrganizationsController } from './organizations.controller.js';
import { ProviderTestsController } from './provider-tests.controller.js';
import { QueuesController } from './queues.controller.js';
import { SecuritySettingsController } from './security-settings.controller.js';
import { SigningKeysController } from './signing-keys.controller.js';
import { SmsBlocksController } from './sms-blocks.controller.js';
import { InstanceStatisticsController } from './statistics.controller.js';

/** /admin/v1 and the queue dashboard: the instance, by its administrators. */
@Module({
  imports: [
    ApplicationsModule,
    DeliveriesModule,
    HealthModule,
    HttpSharedModule,
    IdentityProvidersModule,
    WebhooksModule,
    ImportsModule,
    MaintenanceModule,
    MembersModule,
    MessageTemplatesModule,
    NotificationProvidersModule,
    OrganizationsModule,
    PoliciesModule,
    SigningKeysModule,
    SmsLimitsModule,
    StatisticsModule,
  ],
  controllers: [
    AdministrationController,
    InstanceTemplatesController,
    AdminOrganizationsController,
    InstanceEventsController,
    InstanceHealthController,
    InstanceStatisticsController,
    InstanceNotificationsController,
    InstanceMembersController,
    InstanceIdentityProvidersController,
    InstanceWebhooksController,
    OidcSettingsController,
    QueuesController,
    SecuritySettingsController,
    FactorSettingsController,
    DataImportController,
    DataExportController,
    KeySetAudienceController,
    SigningKeysController,
    NotificationProvidersController,
    ProviderTestsController,
    SmsBlocksController,
  ],
  providers: [DataExport, DataImport, ExportPolicies, ExportProjects],
})
export class AdminApiModule {}
