import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.js';
import { redisUrl } from '../support/redis.js';
import { anOrganization } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { WorkersOfApi } from './support/workers-of-api.js';

class Forged extends WorkersOfApi {
  private readonly queues = new Map<string, Queue>();

  static async build(): Promise<Forged> {
    const api: TestApi = await startTestApi({ REDIS_URL: redisUrl() });
    await anOrganization(api);
    return new Forged(api, { WORKER_QUEUES: 'imports,maintenance' });
  }

  /** Work that the relay does not look at for an hour. */
  async enqueue(queue: string, jobName: string, payload: object): Promise<string> {
    const { rows } = await this.api.sql.query<{ id: string }>(
      `INSERT INTO outbox (queue, job_name, payload, available_at)
       VALUES ($1, $2, $3, app_now() + interval '1 hour') RETURNING id`,
      [queue, jobName, JSON.stringify(payload)],
    );
    return rows[0]?.id ?? '';
  }

  /** As whoever reaches Redis and nothing else can. */
  async forge(queue: string, name: string, data: object): Promise<void> {
    const connection = { url: this.api.config.redis.url };
    const made = this.queues.get(queue) ?? new Queue(queue, { connection, prefix: this.prefix });
    this.queues.set(queue, made);
    const job = await made.add(name, data, { attempts: 1 });
    await eventually('the forged job to end', 20_000, () => job.isCompleted());
  }

  private get prefix(): string {
    return this.api.config.queues.prefix;
  }

  override async tearDown(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    await super.tearDown();
  }
}

describe('a job that was written into Redis by hand (S415)', () => {
  let forged: Forged;
  beforeAll(async () => {
    forged = await Forged.build();
    await forged.startWorker();
  });
  afterAll(() => forged.tearDown());

  it.each([
    ['imports', 'run-bulk-action', { bulkActionId: 'b' }],
    ['imports', 'undo-import-chunk', { jobId: 'j', number: 1 }],
    ['imports', 'notify-import-chunk', { jobId: 'j', number: 1 }],
    ['imports', 'import-chunk', { jobId: 'j', number: 1 }],
    ['imports', 'follow-import', { jobId: 'j' }],
    ['maintenance', 'end-organization-sessions', { orgId: 'o' }],
  ] as const)('deletes no other row of the outbox: %s, %s', async (queue, name, payload) => {
    const other = name === 'undo-import-chunk' ? 'notify-import-chunk' : 'undo-import-chunk';
    const victims = [
      await forged.enqueue('maintenance', 'erase-organization', { orgId: 'o' }),
      await forged.enqueue('notifications', 'send-notification', { notificationId: 'n' }),
      // the same words, of other work
      await forged.enqueue(queue, queue === 'imports' ? other : 'erase-organization', payload),
      await forged.enqueue(queue, name, { ...payload, more: 1 }),
    ];
    for (const outboxId of victims) await forged.forge(queue, name, { ...payload, outboxId });
    expect(await forged.count('outbox', `id IN (${victims.join(', ')})`)).toBe(victims.length);
    // of its own row it is the job
    const own = await forged.enqueue(queue, name, payload);
    await forged.forge(queue, name, { ...payload, outboxId: own });
    expect(await forged.count('outbox', `id = ${own}`)).toBe(0);
    await forged.api.sql.query(`DELETE FROM outbox WHERE id IN (${victims.join(', ')})`);
  });
});
