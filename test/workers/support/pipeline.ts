import pg from 'pg';
import { addQueueTables, cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { randomPrefix } from '../../support/redis.js';
import { dumpRedis } from './redis-server.js';
import { Seed } from './seed.js';
import { SmtpSink } from './smtp-sink.js';
import { WorkerProcess, type WorkerProgram } from './worker-process.js';

/** Database, mail server and key prefix of one scenario, and the worker processes it starts on them. */
export class Pipeline {
  readonly prefix = randomPrefix();
  private readonly workers: WorkerProcess[] = [];

  private constructor(
    private readonly database: TestDatabase,
    readonly pool: pg.Pool,
    readonly redisUrl: string,
    readonly sink: SmtpSink,
    readonly seed: Seed,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** @param settings of its workers, where more than the URL has to be said of Redis */
  static async build(redisUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<Pipeline> {
    const database = await cloneDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 3 });
    // dropping the database ends connections that are being closed
    pool.on('error', () => undefined);
    return new Pipeline(database, pool, redisUrl, await SmtpSink.start(), await Seed.plant(pool), settings);
  }

  /** Fit to be read by `readConfig`, with what differs for one worker on top. */
  environment(overrides: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      DATABASE_URL: this.database.serviceUrl,
      REDIS_URL: this.redisUrl,
      QUEUE_PREFIX: this.prefix,
      SMTP_URL: this.sink.url,
      PUBLIC_URL: 'http://id.localhost:8080',
      ...this.settings,
      ...overrides,
    };
  }

  /** For workers whose queues are in PostgreSQL. */
  async addQueueTables(): Promise<void> {
    await addQueueTables(this.database);
  }

  async startWorker(
    overrides: Readonly<Record<string, string>> = {},
    program?: WorkerProgram,
  ): Promise<WorkerProcess> {
    const worker = this.spawnWorker(overrides, program);
    await worker.untilReady();
    return worker;
  }

  spawnWorker(overrides: Readonly<Record<string, string>> = {}, program?: WorkerProgram): WorkerProcess {
    const worker = WorkerProcess.spawn(this.environment(overrides), program);
    this.workers.push(worker);
    return worker;
  }

  /** What all workers wrote so far. */
  logs(): string {
    return this.workers.map((worker) => worker.log).join('');
  }

  async dumpRedis(): Promise<string> {
    return await dumpRedis(this.redisUrl, this.prefix);
  }

  async tearDown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await this.sink.stop();
    await this.pool.end();
    await this.database.drop();
  }
}
