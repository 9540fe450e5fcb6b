import { beforeEach, describe, expect, it } from 'vitest';
import { OutboxSignal } from '../../../src/domain/outbox/outbox-signal.js';
import {
  OutboxStore,
  type JobLane,
  type JobQueue,
  type OutboxBacklog,
  type OutboxJob,
} from '../../../src/domain/outbox/outbox.store.js';
import { Log } from '../../../src/domain/shared/log.js';
import { JobQueues, type JobFate } from '../../../src/queues/job-queues.js';
import { OutboxRelay } from '../../../src/queues/outbox-relay.js';

class Quiet extends Log {
  override debug(): void {}
  override info(): void {}
  override warn(): void {}
  override error(): void {}
}

class NeverTells extends OutboxSignal {
  override listen(): () => Promise<void> {
    return () => Promise.resolve();
  }
}

class MemoryOutbox extends OutboxStore {
  rows: (OutboxJob & { state: 'pending' | 'published'; backedOff?: boolean })[] = [];

  addRows(count: number, lane: JobLane): void {
    for (let index = 0; index < count; index += 1) {
      const id = String(this.rows.length + 1);
      const entry = { queue: 'notifications', jobName: 'send-notification', payload: { n: index } } as const;
      this.rows.push({ ...entry, id, lane, epoch: 0, state: 'pending' });
    }
  }

  in(state: 'pending' | 'published'): typeof this.rows {
    return this.rows.filter((row) => row.state === state);
  }

  override add(): Promise<string> {
    throw new Error('not asked for');
  }

  override findDueLanes(queues: readonly JobQueue[]): Promise<readonly { queue: JobQueue; lane: JobLane }[]> {
    const lanes = (['priority', 'normal', 'bulk'] as const).filter((lane) => {
      return this.in('pending').some((row) => row.lane === lane);
    });
    return Promise.resolve(lanes.flatMap((lane) => queues.map((queue) => ({ queue, lane }))));
  }

  override takePending(_queue: JobQueue, lane: JobLane, limit: number): Promise<readonly OutboxJob[]> {
    const taken = this.in('pending')
      .filter((row) => row.lane === lane)
      .slice(0, limit);
    for (const row of taken) row.state = 'published';
    return Promise.resolve(taken.map((row) => ({ ...row })));
  }

  override countPublished(_queue: JobQueue, lane: JobLane): Promise<number> {
    return Promise.resolve(this.in('published').filter((row) => row.lane === lane).length);
  }

  override takeStale(): Promise<readonly OutboxJob[]> {
    return Promise.resolve(this.in('published').map((row) => ({ ...row })));
  }

  override returnToPending(jobs: readonly OutboxJob[], when: 'now' | 'backed-off'): Promise<number> {
    for (const job of jobs) {
      const row = this.rows.find(({ id }) => id === job.id);
      if (row !== undefined)
        Object.assign(row, { state: 'pending', epoch: job.epoch + 1, backedOff: when !== 'now' });
    }
    return Promise.resolve(jobs.length);
  }

  override finish(): Promise<void> {
    throw new Error('not asked for');
  }

  override postpone(): Promise<'held' | 'queued'> {
    throw new Error('not asked for');
  }

  override take(): Promise<boolean> {
    throw new Error('not asked for');
  }

  override discard(): Promise<void> {
    throw new Error('not asked for');
  }

  override backlog(): Promise<readonly OutboxBacklog[]> {
    return Promise.resolve([]);
  }
}

/** As much of the queues as the relay sees. */
class MemoryQueues {
  up = true;
  failing = false;
  held = new Map<string, JobFate>();

  isUp(): boolean {
    return this.up;
  }

  publish(_queue: JobQueue, jobs: readonly OutboxJob[]): Promise<void> {
    for (const job of jobs) this.held.set(`${job.id}-${job.epoch}`, 'held');
    return this.failing ? Promise.reject(new Error('Redis is away')) : Promise.resolve();
  }

  fates(jobs: readonly OutboxJob[]): Promise<readonly JobFate[]> {
    return Promise.resolve(jobs.map((job) => this.held.get(`${job.id}-${job.epoch}`) ?? 'missing'));
  }
}

describe('the outbox relay', () => {
  let outbox: MemoryOutbox;
  let queues: MemoryQueues;
  let relay: OutboxRelay;

  beforeEach(() => {
    outbox = new MemoryOutbox();
    queues = new MemoryQueues();
    relay = new OutboxRelay(outbox, new NeverTells(), queues as unknown as JobQueues, new Quiet());
  });

  it('publishes what is due and says whether there is more', async () => {
    outbox.addRows(300, 'normal');
    expect(await relay.publishDue(['notifications'])).toBe(true);
    expect(await relay.publishDue(['notifications'])).toBe(false);
    expect(outbox.in('pending')).toHaveLength(0);
    expect(queues.held.size).toBe(300);
  });

  it('keeps a bounded number of bulk jobs published, and lets other lanes pass them', async () => {
    outbox.addRows(1_500, 'bulk');
    while (await relay.publishDue(['notifications']));
    expect(queues.held.size).toBe(1_000);
    outbox.addRows(5, 'priority');
    await relay.publishDue(['notifications']);
    expect(queues.held.size).toBe(1_005);
    outbox.rows.splice(0, 49);
    await relay.publishDue(['notifications']);
    expect(queues.held.size).toBe(1_005);
    outbox.rows.splice(0, 1);
    await relay.publishDue(['notifications']);
    expect(queues.held.size).toBe(1_055);
  });

  it('leaves rows pending while the queue is out of reach', async () => {
    outbox.addRows(3, 'normal');
    queues.up = false;
    expect(await relay.publishDue(['notifications'])).toBe(false);
    expect(outbox.in('pending')).toHaveLength(3);
    expect(await relay.checkPublished(['notifications'])).toBe(0);
  });

  it('puts rows back under the next epoch when publishing them failed', async () => {
    outbox.addRows(3, 'normal');
    queues.failing = true;
    await expect(relay.publishDue(['notifications'])).rejects.toThrow('Redis is away');
    expect(outbox.in('pending').map(({ epoch }) => epoch)).toEqual([1, 1, 1]);
  });

  it('sends out again what the queue forgot at once, and what ended without its work after a while', async () => {
    outbox.addRows(3, 'normal');
    await relay.publishDue(['notifications']);
    queues.held.delete('1-0');
    queues.held.set('2-0', 'ended');
    expect(await relay.checkPublished(['notifications'])).toBe(2);
    expect(outbox.rows.map(({ state, epoch, backedOff }) => ({ state, epoch, backedOff }))).toEqual([
      { state: 'pending', epoch: 1, backedOff: false },
      { state: 'pending', epoch: 1, backedOff: true },
      { state: 'published', epoch: 0, backedOff: undefined },
    ]);
  });
});
