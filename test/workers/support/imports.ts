import type { ImportJob } from '../../../src/domain/imports/import-job.js';
import type { WantedImport } from '../../../src/domain/imports/receive/begin-import.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { startTestApi, type TestApi } from '../../support/api.js';
import { human, ImportEngine } from '../../support/import-engine.js';
import { anOrganization, type World } from '../../support/world.js';
import { eventually } from './eventually.js';
import { WorkersOfApi } from './workers-of-api.js';

/** An organization that imports, on a database of its own, and the worker processes that do it. */
export class Imports extends WorkersOfApi {
  private constructor(
    api: TestApi,
    readonly world: World,
    readonly engine: ImportEngine,
    readonly owner: UserId,
  ) {
    super(api, { WORKER_QUEUES: 'imports,maintenance' });
  }

  static async build(redisUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<Imports> {
    const api = await startTestApi({ REDIS_URL: redisUrl, ...settings });
    const world = await anOrganization(api);
    const engine = new ImportEngine(api);
    return new Imports(api, world, engine, await engine.addImporter(world.orgId));
  }

  async receive(
    records: readonly object[],
    options: Partial<WantedImport> = {},
    perChunk = 50,
  ): Promise<ImportJob> {
    return await this.engine.receive(this.world.orgId, this.owner, records, options, perChunk);
  }

  /** Forty records of which twenty are written, and the others are kept from every worker. */
  async halfWay(): Promise<ImportJob> {
    const records = Array.from({ length: 40 }, (_, index) => human(`person-${index}`));
    const job = await this.receive(records, { fileName: 'users.json' }, 10);
    await this.api.sql.query(`UPDATE imports SET state = 'running' WHERE id = $1`, [job.id]);
    const chunks = (await this.engine.queued()).filter(({ name }) => name === 'import-chunk');
    for (const queued of chunks.slice(0, 2)) await this.engine.runQueued(queued);
    await this.api.sql.query(`UPDATE outbox SET available_at = app_now() + interval '1 day'`);
    await this.api.sql.query(`UPDATE import_chunks SET state = 'queued' WHERE state = 'pending'`);
    return job;
  }

  /** What `halfWay` kept back is queued. */
  async goOn(): Promise<void> {
    await this.api.sql.query(`UPDATE outbox SET available_at = app_now()`);
  }

  async find({ orgId, id }: ImportJob): Promise<ImportJob> {
    return await this.engine.jobs.find(orgId, id);
  }

  /** Looks at every count on the way: progress is never ahead of the rows. */
  async untilEnded(job: ImportJob, withinMs: number): Promise<ImportJob> {
    return await eventually('the end of the import', withinMs, async () => {
      const found = await this.find(job);
      const users = await this.countUsers();
      if (found.counts.created > users) {
        throw new Error(`${found.counts.created} are told to be created and ${users} are there`);
      }
      return ['done', 'failed', 'cancelled'].includes(found.state) ? found : undefined;
    });
  }

  /** The humans of the organization: nobody is there but those imported. */
  async countUsers(): Promise<number> {
    return await this.count('users', `kind = 'human' AND org_id = '${this.world.orgId}'`);
  }
}
