import type { TestApi } from '../../support/api.js';
import { dumpRedis } from './redis-server.js';
import { WorkerProcess } from './worker-process.js';

/** An API on a database of its own, and the worker processes beside it. */
export abstract class WorkersOfApi {
  private readonly workers: WorkerProcess[] = [];

  protected constructor(
    readonly api: TestApi,
    /** What its workers are set to, on top of the API's own environment. */
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  async count(from: string, where: string): Promise<number> {
    const { rows } = await this.api.sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${from} WHERE ${where}`,
    );
    return rows[0]?.count ?? 0;
  }

  spawnWorker(overrides: Readonly<Record<string, string>> = {}): WorkerProcess {
    const worker = WorkerProcess.spawn({
      ...this.api.environment,
      LOG_LEVEL: 'info',
      ...this.settings,
      ...overrides,
    });
    this.workers.push(worker);
    return worker;
  }

  async startWorker(overrides: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
    const worker = this.spawnWorker(overrides);
    await worker.untilReady();
    return worker;
  }

  logs(): string {
    return this.workers.map((worker) => worker.log).join('');
  }

  async dumpRedis(): Promise<string> {
    return await dumpRedis(this.api.config.redis.url, this.api.config.queues.prefix);
  }

  async tearDown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await this.api.close();
  }
}
