import type { WorkerHost } from '@nestjs/bullmq';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { AppConfig } from '../src/config/config.js';
import { ConfigModule } from '../src/config/config.module.js';
import { RunBulkActionsModule } from '../src/domain/bulk-actions/run-bulk-actions.module.js';
import { IdentityProvidersModule } from '../src/domain/identity-providers/identity-providers.module.js';
import { RunImportsModule } from '../src/domain/imports/run-imports.module.js';
import { LogoutModule } from '../src/domain/logout/logout.module.js';
import { MaintenanceModule } from '../src/domain/maintenance/maintenance.module.js';
import { SendingModule } from '../src/domain/notifications/sending.module.js';
import { OrganizationsModule } from '../src/domain/organizations/organizations.module.js';
import type { Log } from '../src/domain/shared/log.js';
import { FollowKeys } from '../src/domain/signing-keys/follow-keys.js';
import { SigningKeysModule } from '../src/domain/signing-keys/signing-keys.module.js';
import { FlushCounters } from '../src/domain/statistics/flush-counters.js';
import { StatisticsModule } from '../src/domain/statistics/statistics.module.js';
import { OldSystemsUpkeepModule } from '../src/domain/user-migration/old-systems-upkeep.module.js';
import { DeliverEventsModule } from '../src/domain/webhooks/deliver-events.module.js';
import { MailsModule } from '../src/mails/mails.module.js';
import { OpsModule } from '../src/ops/ops.module.js';
import { OutboundModule } from '../src/outbound/outbound.module.js';
import {
  BULK_NOTIFICATIONS,
  IMPORT_PROGRESS,
  queuesWorkedWith,
  type BullQueueName,
} from '../src/queues/job-contract.js';
import { OutboxRelay } from '../src/queues/outbox-relay.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { QueuesModule } from '../src/queues/queues.module.js';
import { StorageModule } from '../src/storage/storage.module.js';
import { AnnounceWorker } from './announce-worker.js';
import { BulkNotificationsProcessor } from './bulk-notifications.processor.js';
import { ConsumerHealth } from './consumer-health.js';
import { Consumers, WorkedProcessors } from './consumers.js';
import { FollowImportJobs } from './follow-import-jobs.js';
import { Heartbeats } from './heartbeats.js';
import { ImportChunkJobs } from './import-chunk-jobs.js';
import { ImportProgressProcessor } from './import-progress.processor.js';
import { ImportWatches } from './import-watches.js';
import { ImportsProcessor } from './imports.processor.js';
import { KeysProcessor } from './keys.processor.js';
import { MaintenanceProcessor } from './maintenance.processor.js';
import { NotificationsProcessor } from './notifications.processor.js';
import { OrganizationJobs } from './organization-jobs.js';
import { PostImportJobs } from './post-import-jobs.js';
import { RecordHeartbeat } from './record-heartbeat.js';
import { ReportJobs } from './report-jobs.js';
import { RowUpkeep } from './row-upkeep.js';
import { Schedules } from './schedules.js';
import { SendNotificationJobs } from './send-notification-jobs.js';
import { WebhookPump } from './webhook-pump.js';

const PROCESSORS: Readonly<Record<BullQueueName, Type<WorkerHost<QueueWorker>>>> = {
  imports: ImportsProcessor,
  [IMPORT_PROGRESS]: ImportProgressProcessor,
  notifications: NotificationsProcessor,
  [BULK_NOTIFICATIONS]: BulkNotificationsProcessor,
  keys: KeysProcessor,
  maintenance: MaintenanceProcessor,
};

/** Composition root of the worker process: the modules it runs, and the processors of the queues it works. */
@Module({})
export class WorkersModule {
  static with(config: AppConfig, log: Log): DynamicModule {
    const processors = config.queues.worked.flatMap(queuesWorkedWith).map((queue) => PROCESSORS[queue]);
    return {
      module: WorkersModule,
      imports: [
        ConfigModule.with(config, log),
        StorageModule,
        MailsModule,
        OutboundModule,
        QueuesModule,
        OpsModule.forProcess('worker'),
        SigningKeysModule,
        SendingModule,
        LogoutModule,
        DeliverEventsModule,
        RunImportsModule,
        RunBulkActionsModule,
        OrganizationsModule,
        MaintenanceModule,
        IdentityProvidersModule,
        OldSystemsUpkeepModule,
        StatisticsModule,
      ],
      providers: [
        ...processors,
        {
          provide: WorkedProcessors,
          inject: processors,
          useFactory: (...all: WorkerHost<QueueWorker>[]) => new WorkedProcessors(all),
        },
        AnnounceWorker,
        ConsumerHealth,
        Consumers,
        FollowImportJobs,
        Heartbeats,
        ImportChunkJobs,
        ImportWatches,
        OrganizationJobs,
        PostImportJobs,
        RecordHeartbeat,
        ReportJobs,
        RowUpkeep,
        OutboxRelay,
        Schedules,
        SendNotificationJobs,
        WebhookPump,
        FollowKeys,
        FlushCounters,
      ],
    };
  }
}
