import type { WorkerHost } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { AppConfig } from '../src/config/config.js';
import { ConfigModule } from '../src/config/config.module.js';
import { BackChannel } from '../src/domain/logout/back-channel.js';
import { DeliverLogout } from '../src/domain/logout/deliver-logout.js';
import { LogoutTokens } from '../src/domain/logout/logout-tokens.js';
import { MakeKeys } from '../src/domain/keys/make-keys.js';
import { RotateKeys } from '../src/domain/keys/rotate-keys.js';
import { WatchKeySet } from '../src/domain/keys/watch-key-set.js';
import { FollowKeys } from '../src/domain/keys/follow-keys.js';
import { KeyRing } from '../src/domain/keys/key-ring.js';
import { RemoveExpiredRows } from '../src/domain/maintenance/remove-expired-rows.js';
import { SmsModeOfFirstProvider, SmsProviders } from '../src/domain/notifications/providers/sms-providers.js';
import { RemoveOldEvents } from '../src/domain/maintenance/remove-old-events.js';
import { RemoveUnusedRows } from '../src/domain/maintenance/remove-unused-rows.js';
import { SweepStuckRows } from '../src/domain/maintenance/sweep-stuck-rows.js';
import { EndOrganizationSessions } from '../src/domain/orgs/end-organization-sessions.js';
import { EraseOrganization } from '../src/domain/orgs/erase-organization.js';
import { ComposeMessages } from '../src/domain/notifications/compose-messages.js';
import { MessageRenderer } from '../src/domain/notifications/mail.js';
import { MailRenderer } from '../src/mails/mail-renderer.js';
import { SendNotification } from '../src/domain/notifications/send-notification.js';
import { HandOver } from '../src/domain/notifications/hand-over.js';
import { ChangeProviderHealth } from '../src/domain/notifications/health/change-provider-health.js';
import { ProviderGates } from '../src/domain/notifications/health/provider-gates.js';
import type { Log } from '../src/domain/shared/log.js';
import { SignJwt } from '../src/domain/tokens/sign-jwt.js';
import { PasswordHashing } from '../src/domain/passwords/password-hashing.js';
import {
  clientsRoom,
  consentsRoom,
  orgsRoom,
  permissionsRoom,
  policiesRoom,
  runImportsRoom,
  smsLimitsRoom,
  userGrantsRoom,
} from '../src/domain/rooms.js';
import { FindUser } from '../src/domain/users/find-user.js';
import { FindServiceUser } from '../src/domain/users/machines/find-service-user.js';
import { MachineKeys } from '../src/domain/users/machines/machine-keys.js';
import { TxtRecords } from '../src/domain/orgs/txt-records.js';
import { DnsTxtRecords } from '../src/outbound/dns-txt-records.js';
import { domainSettings } from '../src/domain-settings.js';
import { KeyMetrics } from '../src/ops/key-metrics.js';
import { NotificationMetrics } from '../src/ops/notification-metrics.js';
import { OpsModule } from '../src/ops/ops.module.js';
import { HttpBackChannel } from '../src/outbound/http-back-channel.js';
import { outboundRoom } from '../src/outbound/outbound-room.js';
import {
  BULK_NOTIFICATIONS,
  type BullQueueName,
  IMPORT_PROGRESS,
  queuesWorkedWith,
} from '../src/queues/job-contract.js';
import { OutboxRelay } from '../src/queues/outbox-relay.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { QueuesModule } from '../src/queues/queues.module.js';
import { StorageModule } from '../src/storage/storage.module.js';
import { BulkNotificationsProcessor } from './bulk-notifications.processor.js';
import { Consumers, WorkedProcessors } from './consumers.js';
import { Heartbeats } from './heartbeats.js';
import { ImportProgressProcessor } from './import-progress.processor.js';
import { ImportWatches } from './import-watches.js';
import { ImportsProcessor } from './imports.processor.js';
import { KeysProcessor } from './keys.processor.js';
import { MaintenanceProcessor } from './maintenance.processor.js';
import { NotificationsProcessor } from './notifications.processor.js';
import { RecordHeartbeat } from './record-heartbeat.js';
import { SendNotificationJobs } from './send-notification-jobs.js';
import { Schedules } from './schedules.js';

const PROCESSORS: Readonly<Record<BullQueueName, Type<WorkerHost<QueueWorker>>>> = {
  imports: ImportsProcessor,
  [IMPORT_PROGRESS]: ImportProgressProcessor,
  notifications: NotificationsProcessor,
  [BULK_NOTIFICATIONS]: BulkNotificationsProcessor,
  keys: KeysProcessor,
  maintenance: MaintenanceProcessor,
};

/** Composition root of the worker process: the rooms it needs, and the processors of the queues it works. */
@Module({})
export class WorkersModule {
  static with(config: AppConfig, log: Log): DynamicModule {
    const processors = config.queues.worked.flatMap(queuesWorkedWith).map((queue) => PROCESSORS[queue]);
    return {
      module: WorkersModule,
      imports: [ConfigModule.with(config, log), StorageModule, QueuesModule, OpsModule.forProcess('worker')],
      providers: [
        ...processors,
        {
          provide: WorkedProcessors,
          inject: processors,
          useFactory: (...all: WorkerHost<QueueWorker>[]) => new WorkedProcessors(all),
        },
        Consumers,
        Heartbeats,
        ImportWatches,
        RecordHeartbeat,
        OutboxRelay,
        Schedules,
        RemoveExpiredRows,
        RemoveUnusedRows,
        RemoveOldEvents,
        SweepStuckRows,
        EraseOrganization,
        EndOrganizationSessions,
        ChangeProviderHealth,
        ProviderGates,
        HandOver,
        SendNotification,
        SendNotificationJobs,
        ComposeMessages,
        { provide: MessageRenderer, useClass: MailRenderer },
        ...runImportsRoom,
        ...smsLimitsRoom,
        PasswordHashing,
        ...policiesRoom,
        ...permissionsRoom,
        ...consentsRoom,
        ...orgsRoom,
        ...clientsRoom,
        ...userGrantsRoom,
        FindUser,
        FindServiceUser,
        MachineKeys,
        { provide: TxtRecords, useClass: DnsTxtRecords },
        ...domainSettings,
        KeyRing,
        FollowKeys,
        KeyMetrics,
        NotificationMetrics,
        MakeKeys,
        RotateKeys,
        WatchKeySet,
        SignJwt,
        LogoutTokens,
        DeliverLogout,
        { provide: BackChannel, useClass: HttpBackChannel },
        ...outboundRoom,
        { provide: SmsProviders, useClass: SmsModeOfFirstProvider },
      ],
    };
  }
}
