import { Module, type DynamicModule } from '@nestjs/common';
import { Config } from '../config/config.js';
import { describeRedis } from '../config/redis-servers.js';
import { MaintenanceStore } from '../domain/maintenance/maintenance.store.js';
import { RestoreStore } from '../domain/maintenance/restore.store.js';
import { MailAvailability } from '../domain/notifications/mail-availability.js';
import { NotificationsModule } from '../domain/notifications/notifications.module.js';
import { QueuesModule } from '../queues/queues.module.js';
import { Tracing } from '../tracing/tracing.js';
import { DatabaseMetrics } from './database-metrics.js';
import { EndWhenStuck } from './end-when-stuck.js';
import { ExpiryMetrics } from './expiry-metrics.js';
import { Health } from './health.js';
import { KeyMetrics } from './key-metrics.js';
import { MetricsModule } from './metrics.module.js';
import { NotificationMetrics } from './notification-metrics.js';
import { OpsListener, ProcessIdentity, type ProcessKind } from './ops-listener.js';
import { PipelineMetrics } from './pipeline-metrics.js';
import { WebhookMetrics } from './webhook-metrics.js';

/** Health, readiness and metrics, the same for either process but for what the worker alone reads. */
@Module({})
export class OpsModule {
  static forProcess(kind: ProcessKind): DynamicModule {
    return {
      module: OpsModule,
      imports: [MetricsModule, NotificationsModule, QueuesModule],
      providers: [
        { provide: ProcessIdentity, useValue: new ProcessIdentity(kind) },
        Health,
        PipelineMetrics,
        KeyMetrics,
        DatabaseMetrics,
        ...(kind === 'worker' ? [NotificationMetrics, ExpiryMetrics, WebhookMetrics] : []),
        OpsListener,
        EndWhenStuck,
        Tracing,
      ],
      exports: [Health],
    };
  }

  constructor(
    health: Health,
    maintenance: MaintenanceStore,
    mail: MailAvailability,
    restore: RestoreStore,
    config: Config,
  ) {
    const { queues, redis } = config.app;
    health.addSupplier(
      'queues',
      queues.backend === 'postgres' ? 'PostgreSQL' : `Redis: ${describeRedis(redis)}`,
    );
    health.addReadiness('postgres', async () => {
      await maintenance.listHeartbeats();
      return undefined;
    });
    health.addNotice('restore', async () => {
      const holding = await restore.isHolding().catch(() => false);
      return holding
        ? 'messages, imports and other jobs are held back since a restore, until: identity restore release'
        : undefined;
    });
    health.addNotice('mail', async () => {
      // that PostgreSQL is away is readiness' to say
      const canSend = await mail.canSend().catch(() => true);
      return canSend ? undefined : 'mails wait: neither SMTP_URL nor a provider is set';
    });
  }
}
