import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportAnswer } from '../../../src/http/management-api/import.schemas.js';
import { aReplica } from '../../support/api.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { ImportEngine } from '../../support/import-engine.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { importCalls, ndjson } from './import-calls.js';

/** Of an organization in most of these tests, and of all together. */
const SPACE = 400_000;

const LIMITS = {
  IMPORT_ORGANIZATION_BYTES: String(SPACE),
  IMPORT_INSTANCE_BYTES: String(2 * SPACE),
  IMPORT_ORGANIZATION_JOBS: '5',
};

const { upload, uploaded, find } = importCalls(() => ({ api, owner }));

/** Users whose names do not pack, some 15 kB each as they are stored. */
const large = (count: number) =>
  ndjson(
    ...Array.from({ length: count }, () =>
      record({
        profile: { firstName: 'A', lastName: 'B', picture: `https://a.test/${noise(1_900)}` },
        metadata: metadata(),
      }),
    ),
  );
const noise = (length: number) => randomBytes(length).toString('base64url').slice(0, length);
const metadata = () => ({ noise: noise(18_000) });

async function held(): Promise<{ held: number; payload: number; kept: number }> {
  const { rows } = await api.sql.query<{ held: number; payload: number; kept: number }>(
    `SELECT (SELECT coalesce(sum(bytes_held), 0)::int FROM imports) AS held,
       (SELECT coalesce(sum(octet_length(payload)), 0)::int FROM import_chunks) AS payload,
       (SELECT coalesce(sum(coalesce(octet_length(results), 0) + coalesce(octet_length(failed_payload), 0)), 0)::int
        FROM import_chunks) AS kept`,
  );
  if (rows[0] === undefined) throw new Error('a sum gives a row');
  return rows[0];
}

function expectFull(response: Pick<LightMyRequestResponse, 'statusCode' | 'body'>, text: RegExp): void {
  expect([response.statusCode, JSON.parse(response.body)]).toEqual([
    507,
    expect.objectContaining({ code: 8, message: expect.stringMatching(text) as unknown }),
  ]);
}
const OF_ORGANIZATION = /^the imports of this organization take as much space as they may/;

const { api, world: home } = useWorld(LIMITS);
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(home, 'ORG_OWNER'));
const neighbour = given(() => aServiceUser(other, 'ORG_OWNER'));
beforeEach(async () => {
  await api.sql.query(`DELETE FROM imports`);
  await api.sql.query(`DELETE FROM outbox WHERE queue = 'imports'`);
});

describe('S206: the space that imports of an organization take', () => {
  it('S206: ends with 507, also without a length, and keeps nothing of the file', async () => {
    const response = await upload(large(60));
    expectFull(response, OF_ORGANIZATION);
    const id = response.headers.location?.toString().split('/').at(-1) ?? '';
    expect(await find(id)).toMatchObject({ state: 'failed', reason: 'no_space' });
    expect(await held()).toEqual({ held: 0, payload: 0, kept: 0 });
    // a smaller one, and the neighbours, go on
    expect((await uploaded(large(3))).state).toBe('queued');
    expect((await upload(large(3), { pat: neighbour.pat })).statusCode).toBe(202);
  });

  it('S206: is counted correctly for many uploads at the same time, on several replicas', async () => {
    const replica = await aReplica(api, LIMITS);
    const file = large(8);
    const others = importCalls(() => ({ api: replica, owner }));
    const answers = await Promise.all(
      [upload, others.upload, upload, others.upload].map((send) => send(file)),
    );
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(new Set(statuses)).toEqual(new Set([202, 507]));
    const now = await held();
    expect(now.payload).toBeLessThanOrEqual(SPACE);
    expect(now.held).toBe(now.payload);
  });

  it('S206: is refused before a byte is read when there is none, and a file sent again is not', async () => {
    const headers = { 'idempotency-key': 'the same' };
    const file = large(3);
    const first = await uploaded(file, { headers });
    await api.sql.query(`UPDATE imports SET bytes_held = $1`, [SPACE]);
    expectFull(await upload(ndjson(record())), OF_ORGANIZATION);
    expect((await uploaded(file, { headers })).id).toBe(first.id);
  });

  it('S206: all organizations together have a bound, and so has the import of the instance', async () => {
    const root = await aServiceUser(home, 'IAM_OWNER');
    await uploaded(ndjson(record()), { pat: neighbour.pat });
    await api.sql.query(`UPDATE imports SET bytes_held = $1`, [2 * SPACE]);
    expectFull(await upload(ndjson(record())), /^there is no space left for imports/);
    const body = { dataOrgs: { orgs: [{ orgId: home.orgId, humanUsers: [{ user: record() }] }] } };
    expectFull(await root.call('POST', '/admin/v1/import', body), /^there is no space left for imports/);
  });

  it('S206: is released when an import was cancelled, and when it has ended, except for what is kept', async () => {
    const cancelled = await uploaded(large(8));
    expect((await held()).held).toBeGreaterThan(100_000);
    expect((await owner.call('POST', `imports/${cancelled.id}/_cancel`)).statusCode).toBe(200);
    expect((await held()).held).toBe(0);

    const engine = new ImportEngine(api);
    const bad = ndjson(record({ email: { email: 'not an address' } }));
    const run = await uploaded(`${ndjson(record())}${bad}`);
    await engine.drain();
    expect(await find(run.id)).toMatchObject({ state: 'done', counts: { failed: 1 } });
    const after = await held();
    expect(after.kept).toBeGreaterThan(0);
    expect(after).toEqual({ held: after.kept, payload: 0, kept: after.kept });

    // the records that failed, once more: that takes space, too
    await api.sql.query(`UPDATE imports SET bytes_held = $1`, [SPACE - 10]);
    const refused = await owner.call('POST', `imports/${run.id}/_retry`);
    expectFull(refused, OF_ORGANIZATION);
    await api.sql.query(`UPDATE imports SET bytes_held = 0`);
    expect((await owner.call('POST', `imports/${run.id}/_retry`)).statusCode).toBe(202);
  });
});

describe('S206: imports that have not ended', () => {
  it('S206: are limited per organization, then 429 with Retry-After', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => upload(ndjson(record()))).concat(
        Array.from({ length: 4 }, async () => {
          const colleague = await aServiceUser(home, 'ORG_OWNER');
          return await upload(ndjson(record()), { pat: colleague.pat });
        }),
      ),
    );
    const taken = answers.filter(({ statusCode }) => statusCode === 202);
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect([taken.length, refused.length]).toEqual([5, 3]);
    expect(refused[0]?.json()).toMatchObject({ code: 8 });
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await upload(ndjson(record()), { pat: neighbour.pat })).statusCode).toBe(202);
    const [job] = taken.map((answer) => answer.json<ImportAnswer>());
    await owner.call('POST', `imports/${job?.id}/_cancel`);
    expect((await upload(ndjson(record()))).statusCode).toBe(202);
  });

  it('S206: whose process ended no longer count', async () => {
    for (let count = 0; count < 5; count += 1) await uploaded(ndjson(record()));
    expect((await upload(ndjson(record()))).statusCode).toBe(429);
    await api.sql.query(
      `UPDATE imports SET state = 'reading', reading_until = app_now() - interval '1 second'
       WHERE id = (SELECT min(id) FROM imports)`,
    );
    expect((await upload(ndjson(record()))).statusCode).toBe(202);
  });
});

describe('S206: an upload over the wire', () => {
  const open: (() => void)[] = [];
  afterEach(() => {
    for (const close of open.splice(0)) close();
  });

  it('S206: that claims no length is stopped at the limit and gets its answer while it sends', async () => {
    await api.app.listen(0, '127.0.0.1');
    const { port } = api.app.getHttpServer().address() as AddressInfo;
    const answer = await new Promise<{ statusCode: number; body: string }>((resolve, reject) => {
      const request = httpRequest({
        port,
        method: 'POST',
        path: '/management/v1/imports',
        headers: { authorization: `Bearer ${owner.pat}`, 'content-type': 'application/x-ndjson' },
      });
      open.push(() => request.destroy());
      request.on('error', reject);
      request.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (body += part));
        response.on('end', () => resolve({ statusCode: response.statusCode ?? 0, body }));
      });
      const send = (): void => {
        if (request.destroyed) return;
        request.write(large(5), () => setTimeout(send, 5));
      };
      // it never ends by itself
      send();
    });
    expectFull(answer, OF_ORGANIZATION);
    await expect.poll(held).toEqual({ held: 0, payload: 0, kept: 0 });
  });
});
