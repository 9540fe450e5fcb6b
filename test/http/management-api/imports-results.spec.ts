import { describe, expect, it } from 'vitest';
import type { ImportAnswer } from '../../../src/http/management-api/import.schemas.js';
import { RequestSlots } from '../../../src/http/shared/server/request-slots.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { ImportEngine } from '../../support/import-engine.js';
import { API_SCOPE, aRobot, aServiceUser, bySecret } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { importCalls, ndjson } from './import-calls.js';

const { api, world: home } = useWorld();
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(home, 'ORG_OWNER'));

const { uploaded, find } = importCalls(() => ({ api, owner }));

describe('what became of the records of a file', () => {
  const engine = given(() => new ImportEngine(api));

  async function results(id: string, query = ''): Promise<Record<string, unknown>[]> {
    const response = await owner.call('GET', `imports/${id}/results${query}`);
    expect(response.statusCode).toBe(200);
    return response.body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('is told by line, with the id that it brought and the one it has, and never a value', async () => {
    const bad = record({ userName: 'marker-name', email: { email: 'marker@' } });
    const good = record({ userId: 'auth0|1' });
    const { id } = await uploaded(
      `${JSON.stringify(good)}\n\n${JSON.stringify(bad)}\nnot json\n{"userName":"x"}\n`,
    );
    await engine.drain();
    expect(await find(id)).toMatchObject({ state: 'done', counts: { total: 4, created: 1, failed: 3 } });
    expect(await results(id)).toEqual([
      { line: 1, outcome: 'created', userId: 'auth0|1', givenId: 'auth0|1', orgId: home.orgId },
      expect.objectContaining({ line: 3, outcome: 'failed', code: 'invalid', path: 'email.email' }),
      expect.objectContaining({ line: 4, outcome: 'failed', code: 'malformed' }),
      expect.objectContaining({ line: 5, outcome: 'failed', code: 'invalid', path: 'profile' }),
    ]);
    expect((await results(id, '?outcome=failed')).map(({ line }) => line)).toEqual([3, 4, 5]);
    const { body } = await owner.call('GET', `imports/${id}/results?format=csv`);
    expect(body.split('\r\n').slice(0, 2)).toEqual([
      'line,outcome,userId,givenId,orgId,code,path,message,weak,undone,type',
      `1,created,auth0|1,auth0|1,${home.orgId},,,,,,`,
    ]);
    expect(body).not.toContain('marker');
  });

  it('is listed a page at a time, in the order of the file or from its end, by outcome', async () => {
    const lines = Array.from({ length: 1_203 }, (_, index) =>
      index % 400 === 1 ? record() : { userName: 'x' },
    );
    const { id } = await uploaded(ndjson(...lines));
    await engine.drain();
    interface Listed {
      readonly result: readonly { readonly line: number; readonly outcome: string }[];
      readonly total: number;
      readonly nextCursor?: string;
    }
    const all = async (query: string, limit = 500) => {
      const found: number[] = [];
      let [cursor, pages] = ['', 0];
      for (;;) {
        const page = await owner.call('GET', `imports/${id}/records?limit=${limit}${query}${cursor}`);
        expect(page.statusCode, page.body).toBe(200);
        const { result, nextCursor, total } = page.json<Listed>();
        found.push(...result.map(({ line }) => line));
        pages += 1;
        if (nextCursor === undefined) return { found, pages, total };
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
      }
    };
    const whole = Array.from({ length: 1_203 }, (_, index) => index + 1);
    expect(await all('&asc=true')).toEqual({ found: whole, pages: 3, total: 1_203 });
    expect(await all('&asc=false')).toEqual({ found: whole.toReversed(), pages: 3, total: 1_203 });
    const made = [2, 402, 802, 1_202];
    expect(await all('&asc=true&outcome=created', 2)).toEqual({ found: made, pages: 2, total: 4 });
    expect(await all('&outcome=created,updated', 3)).toEqual({
      found: made.toReversed(),
      pages: 2,
      total: 4,
    });
    expect(await all('&outcome=skipped')).toEqual({ found: [], pages: 1, total: 0 });
  });

  it('is not listed by a cursor of another order, nor for another organization (S427)', async () => {
    const { id } = await uploaded(ndjson(record(), record()));
    await engine.drain();
    const path = `imports/${id}/records`;
    const first = await owner.call('GET', `${path}?limit=1&asc=true`);
    const cursor = encodeURIComponent(first.json<{ nextCursor: string }>().nextCursor);
    expect((await owner.call('GET', `${path}?limit=1&asc=true&cursor=${cursor}`)).statusCode).toBe(200);
    for (const query of [
      `cursor=${cursor}`,
      `asc=true&outcome=created&cursor=${cursor}`,
      'cursor=x',
      'outcome=all',
    ]) {
      expect([query, (await owner.call('GET', `${path}?${query}`)).statusCode]).toEqual([query, 400]);
    }
    const stranger = await aServiceUser(other, 'ORG_OWNER');
    expect((await stranger.call('GET', path)).statusCode).toBe(404);
    const viewer = await aServiceUser(home, 'ORG_OWNER_VIEWER');
    expect((await viewer.call('GET', path)).statusCode).toBe(403);
  });

  it('is listed for a few requests of one caller at the same time', async () => {
    const { id } = await uploaded(ndjson(record()));
    const slots = api.app.get(RequestSlots, { strict: false });
    const held = Array.from({ length: 4 }, () => slots.take('import records', owner.userId, home.orgId));
    const path = `imports/${id}/records`;
    expect((await owner.call('GET', path)).statusCode).toBe(429);
    for (const giveBack of held) giveBack();
    const twice = Array.from({ length: 8 }, () => 200);
    const answers: number[] = [];
    for (const _ of twice) answers.push((await owner.call('GET', path)).statusCode);
    expect(answers).toEqual(twice);
  });

  it('S161: is not executed by a spreadsheet', async () => {
    const evil = ['=cmd|calc', '+1', '-1', '@SUM(1)'].map((userId) => record({ userId }));
    const { id } = await uploaded(ndjson(...evil));
    await engine.drain();
    const { body } = await owner.call('GET', `imports/${id}/results?format=csv`);
    const given = body
      .split('\r\n')
      .slice(1, 5)
      .map((row) => row.split(',')[2]);
    expect(given).toEqual(["'=cmd|calc", "'+1", "'-1", "'@SUM(1)"]);
  });

  it("S159: is forbidden for another organization's records, and writes nothing there", async () => {
    const before = await api.sql.query('SELECT count(*) FROM users WHERE org_id = $1', [other.orgId]);
    const orgs = [
      {
        orgId: other.orgId,
        humanUsers: [{ user: record() }],
        machineUsers: [{ user: { userName: 'm1', name: 'M' } }],
      },
      { humanUsers: [{ user: record() }], orgId: other.orgId },
      { orgId: home.orgId, humanUsers: [{ userId: 'mine', user: record() }] },
    ];
    const { id } = await uploaded(JSON.stringify({ dataOrgs: { orgs } }), { type: 'application/json' });
    await engine.drain();
    expect((await results(id)).map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 'forbidden'],
      ['failed', 'forbidden'],
      ['failed', 'forbidden'],
      ['created', undefined],
    ]);
    const after = await api.sql.query('SELECT count(*) FROM users WHERE org_id = $1', [other.orgId]);
    expect(after.rows).toEqual(before.rows);
  });

  it('reports what a dataOrgs file holds beside users', async () => {
    const orgs = [{ orgId: home.orgId, projects: [{ projectId: 'p' }], humanUsers: [{ user: record() }] }];
    const { id } = await uploaded(JSON.stringify({ dataOrgs: { orgs } }), { type: 'application/json' });
    await engine.drain();
    expect(await results(id)).toEqual([
      {
        line: 1,
        outcome: 'failed',
        code: 'invalid',
        path: 'dataOrgs.orgs[0].projects[0]',
        message: 'dataOrgs.orgs[0].projects[0] is neither a human nor a service user, and was not imported',
      },
      expect.objectContaining({ line: 2, outcome: 'created' }),
    ]);
  });

  it('S472: is undone no further once the token is ended that this was asked for with', async () => {
    const robot = await aRobot(home);
    const member = { userId: robot.userId, roles: ['ORG_OWNER'] };
    expect((await owner.call('POST', 'orgs/me/members', member)).statusCode).toBe(200);
    const scope = `openid ${API_SCOPE}`;
    const { access_token: pat } = (await bySecret(api, robot, { scope })).json<{ access_token: string }>();
    const service = await aServiceUser(home, 'ORG_OWNER');
    const { result } = (await owner.call('GET', `users/${service.userId}/pats`)).json<{
      result: { id: string }[];
    }>();
    const ends = [
      { pat, method: 'PUT', path: `users/${robot.userId}/secret` },
      { pat: service.pat, method: 'DELETE', path: `users/${service.userId}/pats/${result[0]?.id}` },
    ] as const;
    for (const { pat: token, method, path } of ends) {
      const { id } = await uploaded(ndjson(record(), record()));
      await engine.drain();
      const asked = await call(api, 'POST', `imports/${id}/_undo`, { pat: token });
      expect([asked.statusCode, asked.json<ImportAnswer>().undo?.state]).toEqual([200, 'running']);
      expect((await owner.call(method, path)).statusCode).toBe(200);
      await engine.drain();
      const job = await find(id);
      expect([job.state, job.undo]).toEqual(['done', undefined]);
      expect(job.counts.created).toBe(2);
    }
  });

  it('is retried as it was, or corrected', async () => {
    const { id } = await uploaded(ndjson(record(), { ...record(), shoeSize: 42 }));
    await engine.drain();
    const again = await owner.call('POST', `imports/${id}/_retry`);
    expect(again.statusCode).toBe(202);
    const retried = again.json<ImportAnswer>();
    expect(again.headers.location).toBe(`/management/v1/imports/${retried.id}`);
    const empty = await owner.call('POST', `imports/${id}/_retry`, {});
    expect(empty.statusCode).toBe(202);
    const corrected = await uploaded(ndjson(record()), { path: `imports/${id}/_retry` });
    await engine.drain();
    expect(await find(retried.id)).toMatchObject({ retryOf: id, counts: { total: 1, failed: 1 } });
    expect(await find(corrected.id)).toMatchObject({ retryOf: id, counts: { total: 1, created: 1 } });
  });
});
