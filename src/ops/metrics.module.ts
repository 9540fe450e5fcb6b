import { Global, Module } from '@nestjs/common';
import { ClientBruteForceMeter } from '../domain/client-auth/client-brute-force-meter.js';
import { SmsMeter } from '../domain/notifications/abuse/sms-meter.js';
import { BruteForceMeter } from '../domain/passwords/attempts/brute-force-meter.js';
import { HashingMeter } from '../domain/passwords/hashing/hashing-meter.js';
import { UserMigrationMeter } from '../domain/user-migration/user-migration-meter.js';
import { WebhookMeter } from '../domain/webhooks/webhook-meter.js';
import { BruteForceMetrics, ClientBruteForceMetrics } from './brute-force-metrics.js';
import { HashingMetrics } from './hashing-metrics.js';
import { Metrics } from './metrics.js';
import { SmsMetrics } from './sms-metrics.js';
import { UserMigrationMetrics } from './user-migration-metrics.js';
import { WebhookOutcomes } from './webhook-metrics.js';

const METERS = [
  { provide: BruteForceMeter, useClass: BruteForceMetrics },
  { provide: ClientBruteForceMeter, useClass: ClientBruteForceMetrics },
  { provide: HashingMeter, useClass: HashingMetrics },
  { provide: SmsMeter, useClass: SmsMetrics },
  { provide: WebhookMeter, useClass: WebhookOutcomes },
  { provide: UserMigrationMeter, useClass: UserMigrationMetrics },
];

/** The metrics of a process, and the meters that the domain counts with. Global, as the log is. */
@Global()
@Module({
  providers: [Metrics, ...METERS],
  exports: [Metrics, ...METERS.map(({ provide }) => provide)],
})
export class MetricsModule {}
