import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RequestDelaySignal } from './request-delay-signal.js';

const PROBE_EVERY_MS = 50;
const NOTIFY_EVERY_MS = 1_000;
/** Of a second's probes, the one below which nine of ten are. */
const SHARE = 0.9;
/** Fewer say nothing. */
const LEAST_PROBES = 5;

/**
 * Measures in an API process how long requests wait for what all of them need (the event loop, a connection, an answer of
 * PostgreSQL by key), and notifies whoever works in the background. One and the same probe is measured, because the times of
 * requests themselves say little: what is asked for changes from one second to the next. Only while there are requests:
 * nobody has to make room for those that nobody makes.
 */
@Injectable()
export class NotifyRequestDelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private requests = 0;
  private hasRequests = false;
  private probing = false;
  private times: number[] = [];
  private timers: NodeJS.Timeout[] = [];

  constructor(private readonly signal: RequestDelaySignal) {}

  onApplicationBootstrap(): void {
    let dueAt = performance.now() + PROBE_EVERY_MS;
    const probe = setInterval(() => {
      // a late timer is a busy event loop, which requests wait for as well
      void this.probe(Math.min(dueAt, performance.now()));
      dueAt = performance.now() + PROBE_EVERY_MS;
    }, PROBE_EVERY_MS);
    const notify = setInterval(() => void this.notify(), NOTIFY_EVERY_MS);
    this.timers = [probe.unref(), notify.unref()];
  }

  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Called for each request that was answered. */
  answered(): void {
    this.requests += 1;
  }

  private async probe(dueAt: number): Promise<void> {
    if (!this.hasRequests || this.probing) return;
    this.probing = true;
    try {
      await this.signal.probe();
      this.times.push(performance.now() - dueAt);
    } catch {
      // PostgreSQL is away: nothing that anybody could make room for
    } finally {
      this.probing = false;
    }
  }

  private async notify(): Promise<void> {
    this.hasRequests = this.requests > 0;
    this.requests = 0;
    const times = this.times.toSorted((a, b) => a - b);
    this.times = [];
    const delayMs = times[Math.floor(times.length * SHARE)];
    if (delayMs === undefined || times.length < LEAST_PROBES || !this.hasRequests) return;
    await this.signal.notify(delayMs).catch(() => undefined);
  }
}
