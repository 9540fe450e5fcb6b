import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import type { ImportJob } from '../../src/cli/api/imports.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { useWorld } from '../support/world.js';
import { fixture, identity, inDirectory } from '../unit/cli/support/run-cli.js';
import { startOwnRedis } from './support/redis-server.js';
import { WorkerProcess } from './support/worker-process.js';

interface Result {
  readonly line: number;
  readonly outcome: string;
  readonly givenId?: string;
  readonly userId?: string;
}

describe('identity convert | identity import → API → worker', () => {
  let redis: PrivateRedis;
  let worker: WorkerProcess;
  let around: { url: string; token: string; fetch: typeof globalThis.fetch };

  beforeAll(async () => {
    redis = await startOwnRedis();
  });
  afterAll(() => redis.stop());
  const { api, world } = useWorld(() => ({ REDIS_URL: redis.url }));
  const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
  beforeAll(async () => {
    await api.app.listen(0, '127.0.0.1');
    const { port } = api.app.getHttpServer().address() as AddressInfo;
    around = { url: `http://127.0.0.1:${port}`, token: owner.pat, fetch };
    worker = WorkerProcess.spawn({ ...api.environment, LOG_LEVEL: 'info', WORKER_QUEUES: 'imports' });
    await worker.untilReady();
  });
  afterAll(() => worker.kill());

  async function importFile(...args: string[]) {
    const { code, out, err } = await identity(['import', ...args, '--notify', 'none', '--json'], '', around);
    if (out === '') throw new Error(err);
    return { code, job: JSON.parse(out) as ImportJob };
  }

  async function resultsOf(file: string): Promise<Result[]> {
    const lines = (await readFile(`${file}.results.ndjson`, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Result);
  }

  it('brings the users of an export in, with their ids and states, and takes them out again', async () => {
    await inDirectory(async (directory) => {
      const file = path.join(directory, 'users.ndjson');
      const realm = fixture('keycloak/acme-realm.json');
      await identity(['convert', 'keycloak', '--realm', realm, '--output', file]);

      const first = await importFile(file);
      expect(first).toMatchObject({
        code: 0,
        job: { state: 'done', counts: { total: 3, created: 3, failed: 0 } },
      });
      const results = await resultsOf(file);
      expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
      const [dorothy] = results;
      const { rows } = await api.sql.query<{ user_name: string; state: string }>(
        'SELECT user_name, state FROM users WHERE id = ANY($1) ORDER BY user_name',
        [results.map(({ userId }) => userId)],
      );
      expect(rows.map(({ state }) => state)).toEqual(['active', 'inactive', 'active']);
      expect(dorothy?.userId).toBe('0f2d1c5e-6a4c-4a58-8a3e-000000000001');

      const again = await importFile(file);
      expect(again).toMatchObject({ code: 1, job: { counts: { created: 0, failed: 3 } } });

      const undone = await identity(['import', 'undo', first.job.id, '--watch', '--json'], '', around);
      expect(JSON.parse(undone.out)).toMatchObject({ state: 'undone', undo: { removed: 3, kept: 0 } });
      const list = await identity(['import', 'status', '--json'], '', around);
      expect((JSON.parse(list.out) as ImportJob[]).map(({ id }) => id)).toContain(first.job.id);
    });
  });

  it('takes the document of dataOrgs, too', async () => {
    await inDirectory(async (directory) => {
      const file = path.join(directory, 'importBody.json');
      const users = [
        '--users',
        fixture('auth0/users.ndjson'),
        '--passwords',
        fixture('auth0/passwords.ndjson'),
      ];
      const org = (await identity(['import', 'status', '--json'], '', around)).out;
      const { orgId = '' } = (JSON.parse(org) as { orgId?: string }[])[0] ?? {};
      await identity([
        'convert',
        'auth0',
        ...users,
        '--format',
        'dataorgs',
        '--org',
        orgId,
        '--output',
        file,
      ]);
      const { job } = await importFile(file);
      // the social user has Ada's login name; metadata are records of their own in this format
      expect(job.counts).toMatchObject({ total: 9, created: 8, failed: 1 });
    });
  });
});
