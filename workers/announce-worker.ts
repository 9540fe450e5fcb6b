import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../src/config/config.js';
import { versionOf } from '../src/config/version.js';
import { MaintenanceStore } from '../src/domain/maintenance/maintenance.store.js';
import { Log } from '../src/domain/shared/log.js';
import { messageOf } from '../src/domain/shared/message-of.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { randomId } from '../src/domain/shared/random.js';

const EVERY_MS = 15_000;

/** Says every few seconds that this worker is there, which version it is and what it works; and that it goes. */
@Injectable()
export class AnnounceWorker implements BeforeApplicationShutdown {
  private readonly worker = {
    id: randomId(),
    host: hostname(),
    version: versionOf(import.meta.dirname),
  };
  private readonly stopping = new AbortController();
  private readonly warn: (reason: string) => void;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly maintenance: MaintenanceStore,
    private readonly config: Config,
    log: Log,
  ) {
    this.warn = oncePer(60_000, (reason: string) => log.warn('the worker cannot be announced', { reason }));
  }

  start(): void {
    this.loop = this.keepAnnouncing();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    // one that could not say so is forgotten by itself
    await this.maintenance.forgetWorker(this.worker.id).catch(() => undefined);
  }

  private async keepAnnouncing(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.maintenance.announceWorker({ ...this.worker, queues: this.config.app.queues.worked });
      } catch (error) {
        this.warn(messageOf(error));
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
