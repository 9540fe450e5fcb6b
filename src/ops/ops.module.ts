import { type DynamicModule, Module } from '@nestjs/common';
import { HeartbeatsStore } from '../domain/maintenance/heartbeats.store.js';
import { QueuesModule } from '../queues/queues.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { GuessingMeter } from '../domain/passwords/guessing-meter.js';
import { ClientGuessMeter } from '../domain/client-auth/client-guess-meter.js';
import { ClientGuessMetrics, GuessingMetrics } from './guessing-metrics.js';
import { HashingMeter } from '../domain/passwords/hashing-meter.js';
import { HashingMetrics } from './hashing-metrics.js';
import { SmsMeter } from '../domain/notifications/abuse/sms-meter.js';
import { SmsMetrics } from './sms-metrics.js';
import { EndWhenStuck } from './end-when-stuck.js';
import { MailsWait } from '../domain/notifications/mails-wait.js';
import { Health } from './health.js';
import { Metrics } from './metrics.js';
import { OpsListener, ProcessIdentity, type ProcessKind } from './ops-listener.js';
import { PipelineMetrics } from './pipeline-metrics.js';

/** Health, readiness and metrics, the same for either process. */
@Module({})
export class OpsModule {
  static forProcess(kind: ProcessKind): DynamicModule {
    return {
      module: OpsModule,
      imports: [StorageModule, QueuesModule],
      providers: [
        { provide: ProcessIdentity, useValue: new ProcessIdentity(kind) },
        MailsWait,
        Health,
        Metrics,
        PipelineMetrics,
        { provide: GuessingMeter, useClass: GuessingMetrics },
        { provide: ClientGuessMeter, useClass: ClientGuessMetrics },
        { provide: HashingMeter, useClass: HashingMetrics },
        { provide: SmsMeter, useClass: SmsMetrics },
        OpsListener,
        EndWhenStuck,
      ],
      exports: [MailsWait, Health, Metrics, GuessingMeter, ClientGuessMeter, HashingMeter, SmsMeter],
    };
  }

  constructor(health: Health, heartbeats: HeartbeatsStore, mailsWait: MailsWait) {
    health.addReadiness('postgres', async () => {
      await heartbeats.list();
      return undefined;
    });
    health.addNotice('mail', async () => {
      // that PostgreSQL is away is readiness' to say
      const wait = await mailsWait.now().catch(() => false);
      return wait ? 'mails wait: neither SMTP_URL nor a provider is set' : undefined;
    });
  }
}
