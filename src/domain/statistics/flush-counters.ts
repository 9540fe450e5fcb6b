import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '../shared/log.js';
import { messageOf } from '../shared/message-of.js';
import { oncePer } from '../shared/once-per.js';
import { Counters } from './counters.js';
import { StatisticsStore } from './statistics.store.js';

const EVERY_MS = 10_000;

/**
 * Adds what this process has counted to PostgreSQL every ten seconds, and when it ends in peace. While PostgreSQL is away
 * the counts wait in the process and are added with the next ones. Where the connection is lost after the statement was sent
 * and before its answer came, nobody knows whether it counted: it is then added again, because a statement that fails has
 * nearly always done nothing.
 */
@Injectable()
export class FlushCounters implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private readonly warn: (reason: string) => void;

  constructor(
    private readonly counters: Counters,
    private readonly statistics: StatisticsStore,
    log: Log,
  ) {
    this.warn = oncePer(60_000, (reason: string) => log.warn('counts wait to be written', { reason }));
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), EVERY_MS);
    this.timer.unref();
  }

  /** After the last request, and before the connections are closed. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** One at a time. Never rejects. */
  async flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.flushOnce());
    await this.flushing;
  }

  private async flushOnce(): Promise<void> {
    const counts = this.counters.take();
    if (counts.length === 0) return;
    try {
      await this.statistics.add(counts);
    } catch (error) {
      this.counters.giveBack(counts);
      this.warn(messageOf(error));
    }
  }
}
