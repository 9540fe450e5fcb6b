import { Injectable } from '@nestjs/common';
import type { HashingClass } from '../domain/passwords/hashing/hashing-bill.js';
import { HashingMeter, type HashingRefusal } from '../domain/passwords/hashing/hashing-meter.js';
import type { HashingLane } from '../domain/passwords/schemes/password-scheme.js';
import { Metrics } from './metrics.js';

/** How full the hashing pool of this process is. */
@Injectable()
export class HashingMetrics extends HashingMeter {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  override waiting(lane: HashingLane, kind: HashingClass, count: number): void {
    this.metrics.hashingWaiting.set({ lane, class: kind }, count);
  }

  override begun(lane: HashingLane, kind: HashingClass, waitedMs: number): void {
    this.metrics.hashingWait.observe({ lane, class: kind }, waitedMs / 1000);
  }

  override refused(lane: HashingLane, kind: HashingClass, why: HashingRefusal): void {
    this.metrics.hashingRefused.inc({ lane, class: kind, reason: why.replaceAll(' ', '_') });
  }
}
