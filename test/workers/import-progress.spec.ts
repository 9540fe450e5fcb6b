import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportJob } from '../../src/domain/imports/import-job.js';
import { IMPORT_PROGRESS } from '../../src/queues/job-contract.js';
import { human, PLAIN_OPTIONS } from '../support/import-engine.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';
import { startOwnRedis } from './support/redis-server.js';

describe('the jobs that show imports', () => {
  let redis: Awaited<ReturnType<typeof startOwnRedis>>;
  let imports: Imports;
  let queue: Queue;

  beforeEach(async () => {
    redis = await startOwnRedis();
    imports = await Imports.build(redis.url);
    queue = new Queue(IMPORT_PROGRESS, {
      connection: { url: redis.url },
      prefix: imports.api.config.queues.prefix,
    });
    queue.on('error', () => undefined);
  });

  afterEach(async () => {
    await queue.close();
    await imports.tearDown();
    await redis.stop();
  });

  interface Shown {
    readonly state: string;
    readonly progress: Readonly<Record<string, unknown>>;
  }

  async function shown(id: string): Promise<Shown> {
    const [state, job] = await Promise.all([queue.getJobState(id), queue.getJob(id)]);
    return { state, progress: (job?.progress ?? {}) as Record<string, unknown> };
  }

  async function until(id: string, state: string, progress: object): Promise<void> {
    await expect.poll(() => shown(id), { interval: 100 }).toMatchObject({ state, progress });
  }

  async function change(job: ImportJob, what: 'pause' | 'resume' | 'undo' | 'notify'): Promise<void> {
    const asked = { orgId: job.orgId, jobId: job.id, actorId: imports.owner, through: null };
    await imports.engine.transaction((tx) => imports.engine.steer[what](tx, asked));
  }

  it('are active from the first byte, with the share that has arrived', async () => {
    await imports.startWorker();
    const begun = await imports.engine.begin.execute({
      ...PLAIN_OPTIONS,
      orgId: imports.world.orgId,
      callerId: imports.owner,
      through: null,
      bytesExpected: 4_000,
    });
    if ('known' in begun) throw new Error('the import was begun before');
    const id = `import-${begun.begun.jobId}`;
    await until(id, 'active', { state: 'reading', progress: 0, unit: 'bytes', done: 0, total: 4_000 });
    await imports.engine.fill.renewLease(begun.begun, 1_000);
    await until(id, 'active', { state: 'reading', progress: 25 });
    await imports.engine.fill.fail(begun.begun, 'source_incomplete');
    await until(id, 'failed', { state: 'failed' });
    expect((await queue.getJob(id))?.failedReason).toBe('failed: source_incomplete');
  });

  it('mirror the records, are Delayed while it is paused, and come back with it', async () => {
    const job = await imports.halfWay();
    await imports.startWorker();
    const id = `import-${job.id}`;
    await until(id, 'active', { state: 'running', progress: 50, unit: 'records', done: 20, total: 40 });
    await change(job, 'pause');
    await until(id, 'delayed', { state: 'paused', progress: 50 });
    await change(job, 'resume');
    await until(id, 'active', { state: 'running', progress: 50 });
    await imports.goOn();
    await until(id, 'completed', { state: 'done', progress: 100 });
  });

  it('is one for each import, however many workers; another goes on where one dies, or is told to stop', async () => {
    const job = await imports.halfWay();
    const workers = [await imports.startWorker(), await imports.startWorker()];
    const id = `import-${job.id}`;
    await until(id, 'active', { progress: 50 });
    // a heartbeat may be there for a moment
    await expect
      .poll(() => queue.getJobCounts('active', 'waiting', 'delayed', 'completed', 'failed'))
      .toEqual({ active: 1, waiting: 0, delayed: 0, completed: 0, failed: 0 });
    // whichever has it: each of them ends in its turn
    workers[0]?.signal('SIGTERM');
    expect(await workers[0]?.exited).toEqual({ code: 0, signal: null });
    await until(id, 'active', { progress: 50 });
    const third = await imports.startWorker();
    await workers[1]?.kill();
    await imports.api.sql.query(`UPDATE import_chunks SET created = 0, failed = 10 WHERE number = 1`);
    await until(id, 'active', { progress: 50, failed: 10 });
    expect(third.running).toBe(true);
  });

  it('come back within seconds where Redis was emptied', async () => {
    const job = await imports.halfWay();
    await imports.startWorker();
    const id = `import-${job.id}`;
    await until(id, 'active', { progress: 50 });
    const client = new Redis(redis.url);
    for (let round = 0; round < 3; round += 1) {
      await client.flushall();
      await until(id, 'active', { progress: 50 });
    }
    client.disconnect();
    await imports.goOn();
    await until(id, 'completed', { state: 'done', progress: 100 });
  });

  it('show an undo, too, also of an import that nobody saw run', async () => {
    const job = await imports.engine.import(imports.world.orgId, imports.owner, [human('gone')]);
    await change(job, 'undo');
    await imports.startWorker();
    await until(`undo-${job.id}`, 'completed', { state: 'undone', progress: 100, unit: 'users', done: 1 });
  });

  it('show the sending of mails that were held, chunk by chunk', async () => {
    const email = (name: string) => ({ email: { email: `${name}@mail.test`, isEmailVerified: false } });
    const people = Array.from({ length: 40 }, (_, index) => human(`held-${index}`, email(`held-${index}`)));
    const options = { notify: 'deferred' } as const;
    const job = await imports.engine.import(imports.world.orgId, imports.owner, people, options, 10);
    await change(job, 'notify');
    // one chunk is sent, and the others are kept from the worker
    const [first] = await imports.engine.queued();
    if (first === undefined) throw new Error('nothing is queued');
    await imports.engine.runQueued(first);
    await imports.api.sql.query(`UPDATE outbox SET available_at = app_now() + interval '1 day'`);
    await imports.startWorker();
    const id = `notify-${job.id}`;
    await until(id, 'active', { state: 'notifying', progress: 25, unit: 'users', done: 10, total: 40 });
    await imports.goOn();
    await until(id, 'completed', { state: 'notified', progress: 100, done: 40 });
  });

  it('share their queue with nothing that would bury them', async () => {
    const job = await imports.halfWay();
    await imports.startWorker({ HEARTBEAT_INTERVAL: '1s' });
    await until(`import-${job.id}`, 'active', { progress: 50 });
    await eventually('a few heartbeats', 20_000, async () => {
      const { rows } = await imports.api.sql.query<{ beats: boolean }>(
        `SELECT count(*) > 1 AND min(consumed_at) > now() - interval '5 seconds' AS beats FROM heartbeats`,
      );
      return rows[0]?.beats === true;
    });
    for (const name of [IMPORT_PROGRESS, 'imports']) {
      const looked = new Queue(name, {
        connection: { url: redis.url },
        prefix: imports.api.config.queues.prefix,
      });
      await expect
        .poll(async () => {
          const jobs = await looked.getJobs(['delayed', 'completed', 'failed', 'waiting', 'prioritized']);
          return (
            jobs.filter((one) => one?.name === 'heartbeat').length + (await looked.getJobSchedulersCount())
          );
        })
        .toBe(0);
      await looked.close();
    }
  });
});
