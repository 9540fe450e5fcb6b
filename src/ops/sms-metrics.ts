import { Injectable } from '@nestjs/common';
import { SmsMeter, type SmsOrigin, type SmsRule } from '../domain/notifications/abuse/sms-meter.js';
import { Metrics } from './metrics.js';

/** What the limits on SMS do, as counters. */
@Injectable()
export class SmsMetrics extends SmsMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override enqueued(origin: SmsOrigin, count: number): void {
    this.metrics.smsEnqueued.inc({ origin }, count);
  }

  override refused(rule: SmsRule, origin: SmsOrigin): void {
    this.metrics.smsRefused.inc({ rule, origin });
  }

  override blocked(): void {
    this.metrics.smsBlocks.inc();
  }
}
