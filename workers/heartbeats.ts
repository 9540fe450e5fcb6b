import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../src/config/config.js';
import { Log } from '../src/domain/shared/log.js';
import { messageOf } from '../src/domain/shared/message-of.js';
import { oncePer } from '../src/domain/shared/once-per.js';
import { randomId } from '../src/domain/shared/random.js';
import { heartbeatId, heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { queuesWorkedWith, type BullQueueName } from '../src/queues/job-contract.js';
import { JobQueues } from '../src/queues/job-queues.js';
import { replaceJob } from '../src/queues/replace-job.js';

/** A queue that is out of reach is asked again so soon. */
const AGAIN_MS = 500;

/** Puts a heartbeat into every queue that this process works, and again where the last one was consumed. */
@Injectable()
export class Heartbeats implements BeforeApplicationShutdown {
  private readonly process = randomId();
  private readonly stopping = new AbortController();
  private readonly warn: (reason: string) => void;
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly queues: JobQueues,
    private readonly config: Config,
    log: Log,
  ) {
    this.warn = oncePer(30_000, (reason: string) => log.warn('heartbeats cannot be enqueued', { reason }));
  }

  start(): void {
    const names = this.config.app.queues.worked.flatMap(queuesWorkedWith);
    this.loops = Promise.all(names.map((name) => this.keepBeating(name)));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loops;
  }

  private async keepBeating(name: BullQueueName): Promise<void> {
    const { signal } = this.stopping;
    for (let beat = 0; !signal.aborted; beat += 1) {
      const beaten = await this.beat(name, heartbeatId(this.process, beat));
      const waitMs = beaten ? this.config.app.queues.heartbeatIntervalMs : AGAIN_MS;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async beat(name: BullQueueName, jobId: string): Promise<boolean> {
    if (!this.queues.isLinked(name)) return false;
    try {
      const queue = this.queues.queue(name);
      // earlier releases had a scheduler for it, and may still run beside this one while a release rolls out
      await queue.removeJobScheduler(heartbeatJob.name);
      await replaceJob(queue, heartbeatJob.name, {}, { ...heartbeatJob.options, jobId });
      return true;
    } catch (error) {
      this.warn(messageOf(error));
      return false;
    }
  }
}
