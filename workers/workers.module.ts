import type { WorkerHost } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { type AppConfig, Config } from '../src/config/config.js';
import { ConfigModule } from '../src/config/config.module.js';
import { BackChannel } from '../src/domain/logout/back-channel.js';
import { DeliverLogout } from '../src/domain/logout/deliver-logout.js';
import { LogoutTokens } from '../src/domain/logout/logout-tokens.js';
import { MakeKeys } from '../src/domain/keys/make-keys.js';
import { RotateKeys } from '../src/domain/keys/rotate-keys.js';
import { KeyRing } from '../src/domain/keys/key-ring.js';
import { RemoveExpiredRows } from '../src/domain/maintenance/remove-expired-rows.js';
import { MailChannel } from '../src/domain/notifications/channels.js';
import { NotificationSettings } from '../src/domain/notifications/notification-settings.js';
import { EraseOrganization } from '../src/domain/orgs/erase-organization.js';
import { SendNotification } from '../src/domain/notifications/send-notification.js';
import type { JobQueue } from '../src/domain/outbox/outbox.store.js';
import type { Log } from '../src/domain/shared/log.js';
import { SignJwt } from '../src/domain/tokens/sign-jwt.js';
import { PasswordHashing } from '../src/domain/passwords/password-hashing.js';
import {
  clientsRoom,
  orgsRoom,
  permissionsRoom,
  policiesRoom,
  runImportsRoom,
  userGrantsRoom,
} from '../src/domain/rooms.js';
import { FindUser } from '../src/domain/users/find-user.js';
import { FindServiceUser } from '../src/domain/users/machines/find-service-user.js';
import { MachineKeys } from '../src/domain/users/machines/machine-keys.js';
import { TxtRecords } from '../src/domain/orgs/txt-records.js';
import { DnsTxtRecords } from '../src/outbound/dns-txt-records.js';
import { domainSettings } from '../src/domain-settings.js';
import { KeyMetrics } from '../src/ops/key-metrics.js';
import { OpsModule } from '../src/ops/ops.module.js';
import { HttpBackChannel } from '../src/outbound/http-back-channel.js';
import { SmtpMailChannel } from '../src/outbound/smtp-mail-channel.js';
import { OutboxRelay } from '../src/queues/outbox-relay.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { QueuesModule } from '../src/queues/queues.module.js';
import { StorageModule } from '../src/storage/storage.module.js';
import { Consumers, WorkedProcessors } from './consumers.js';
import { ImportsProcessor } from './imports.processor.js';
import { KeysProcessor } from './keys.processor.js';
import { MaintenanceProcessor } from './maintenance.processor.js';
import { NotificationsProcessor } from './notifications.processor.js';
import { RecordHeartbeat } from './record-heartbeat.js';
import { Schedules } from './schedules.js';

const PROCESSORS: Readonly<Record<JobQueue, Type<WorkerHost<QueueWorker>>>> = {
  imports: ImportsProcessor,
  notifications: NotificationsProcessor,
  keys: KeysProcessor,
  maintenance: MaintenanceProcessor,
};

/** Composition root of the worker process: the rooms it needs, and the processors of the queues it works. */
@Module({})
export class WorkersModule {
  static with(config: AppConfig, log: Log): DynamicModule {
    const processors = config.queues.worked.map((queue) => PROCESSORS[queue]);
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
        RecordHeartbeat,
        OutboxRelay,
        Schedules,
        RemoveExpiredRows,
        EraseOrganization,
        SendNotification,
        ...runImportsRoom,
        PasswordHashing,
        ...policiesRoom,
        ...permissionsRoom,
        ...orgsRoom,
        ...clientsRoom,
        ...userGrantsRoom,
        FindUser,
        FindServiceUser,
        MachineKeys,
        { provide: TxtRecords, useClass: DnsTxtRecords },
        ...domainSettings,
        KeyRing,
        KeyMetrics,
        MakeKeys,
        RotateKeys,
        SignJwt,
        LogoutTokens,
        DeliverLogout,
        { provide: BackChannel, useClass: HttpBackChannel },
        { provide: MailChannel, useClass: SmtpMailChannel },
        {
          provide: NotificationSettings,
          inject: [Config],
          useFactory: ({ app }: Config): NotificationSettings => ({ issuer: app.issuer.url }),
        },
      ],
    };
  }
}
