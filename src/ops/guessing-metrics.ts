import { Injectable } from '@nestjs/common';
import { GuessingMeter, type SignInRefusal } from '../domain/passwords/guessing-meter.js';
import { Metrics } from './metrics.js';

/** What looks like guessing, as counters. */
@Injectable()
export class GuessingMetrics extends GuessingMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override refused(reason: SignInRefusal): void {
    this.metrics.signInRefusals.inc({ reason: reason.replaceAll(' ', '_') });
  }

  override locked(): void {
    this.metrics.passwordLocks.inc();
  }

  override alarmed(): void {
    this.metrics.guessingAlarms.inc();
  }
}
