import { Global, Module } from '@nestjs/common';
import { ClientGuessMeter } from '../domain/client-auth/client-guess-meter.js';
import { SmsMeter } from '../domain/notifications/abuse/sms-meter.js';
import { GuessingMeter } from '../domain/passwords/guessing-meter.js';
import { HashingMeter } from '../domain/passwords/hashing-meter.js';
import { ClientGuessMetrics, GuessingMetrics } from './guessing-metrics.js';
import { HashingMetrics } from './hashing-metrics.js';
import { Metrics } from './metrics.js';
import { SmsMetrics } from './sms-metrics.js';

/** The metrics of a process, and the meters that the domain counts with. Global, as the log is. */
@Global()
@Module({
  providers: [
    Metrics,
    { provide: GuessingMeter, useClass: GuessingMetrics },
    { provide: ClientGuessMeter, useClass: ClientGuessMetrics },
    { provide: HashingMeter, useClass: HashingMetrics },
    { provide: SmsMeter, useClass: SmsMetrics },
  ],
  exports: [Metrics, GuessingMeter, ClientGuessMeter, HashingMeter, SmsMeter],
})
export class MetricsModule {}
