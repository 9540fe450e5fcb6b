import { describe, expect, it } from 'vitest';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { ImportEngine } from '../../support/import-engine.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';
import { importCalls } from './import-calls.js';

// A member that is there twice says two things: refused wherever JSON comes in (S207).

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const engine = given(() => new ImportEngine(api));

const { uploaded, find } = importCalls(() => ({ api, owner }));

/** The text of a record with `extra` as its first member. */
const withExtra = (extra: string): string => `{${extra},${JSON.stringify(record()).slice(1)}`;
const refused = (path: string) => ({ code: 3, message: expect.stringContaining(`"${path}" is given twice`) });

async function failures(id: string): Promise<Record<string, unknown>[]> {
  const path = `imports/${id}/results?outcome=failed`;
  const { body } = await owner.call('GET', path);
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('S207: the single import', () => {
  it.each([
    ['userName', withExtra('"userName":"somebody-else"')],
    ['userName', withExtra('"\\u0075serName":"somebody-else"')],
    [
      'email.email',
      withExtra('"x":1').replace('"email":{', '"email":{"email":"first@mail.test",').replace('"x":1,', ''),
    ],
  ])('refuses %s twice', async (path, body) => {
    const answer = await owner.call('POST', 'users/human/_import', body);
    expect(answer.statusCode, answer.body).toBe(400);
    expect(answer.json()).toMatchObject(refused(path));
  });

  it('refuses a field in both spellings', async () => {
    const body = withExtra('"user_name":"somebody-else"');
    const answer = await owner.call('POST', 'users/human/_import', body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 3, message: expect.stringContaining('given twice') });
  });

  it('still refuses what would reach a prototype, and a caller without a token first (S006)', async () => {
    const body = withExtra('"__proto__":{"isAdmin":true}');
    const answer = await owner.call('POST', 'users/human/_import', body);
    expect(answer.json()).toMatchObject({ code: 3, message: 'the body is not valid JSON' });
    const nobody = await call(api, 'POST', 'users/human/_import', { body: '{"a":1,"a":2}' });
    expect(nobody.statusCode).toBe(401);
  });
});

describe('S207: every other call with a JSON body', () => {
  it.each([
    ['POST', '/management/v1/projects', '{"name":"a","name":"b"}', 'name'],
    ['POST', '/management/v1/users/_search', '{"queries":[{"a":{"x":1,"x":2}}]}', 'queries[0].a.x'],
    ['PUT', '/management/v1/users/1/profile', '{"firstName":"a","firstName":"b"}', 'firstName'],
    ['POST', '/admin/v1/orgs', '{"name":"a","name":"b"}', 'name'],
  ] as const)('%s %s', async (method, path, body, twice) => {
    const answer = await root.call(method, path, body);
    expect([answer.statusCode, answer.json<unknown>()]).toEqual([
      400,
      expect.objectContaining(refused(twice)),
    ]);
  });

  it('a search for users, in both spellings', async () => {
    const body = '{"queries":[{"stateQuery":{"state":1},"state_query":{"state":2}}]}';
    const answer = await owner.call('POST', 'users/_search', body);
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('given twice')]);
  });
});

describe('S207: files', () => {
  it('costs a line of NDJSON itself and nothing else', async () => {
    const { id } = await uploaded(
      `${withExtra('"userName":"somebody-else"')}\n${JSON.stringify(record())}\n`,
    );
    await engine.drain();
    expect((await find(id)).counts).toMatchObject({ created: 1, failed: 1 });
    expect(await failures(id)).toMatchObject([
      { line: 1, code: 'malformed', path: 'userName', message: 'field "userName" is given twice' },
    ]);
  });

  it('costs a record of dataOrgs itself, and a list that is there twice the file', async () => {
    const user = JSON.stringify(record());
    const users = [
      `{"userId":"s207-1","user":{"userName":"x",${user.slice(1)}}`,
      `{"userId":"s207-2","user":${user}}`,
    ];
    const file = (lists: string): string => `{"dataOrgs":{"orgs":[{"orgId":"${world.orgId}",${lists}}]}}`;
    const { id } = await uploaded(file(`"humanUsers":[${users.join(',')}]`), { type: 'application/json' });
    await engine.drain();
    expect((await find(id)).counts).toMatchObject({ created: 1, failed: 1 });
    expect(await failures(id)).toMatchObject([{ code: 'malformed', path: 'humanUser.user.userName' }]);
    for (const [list, name] of [
      ['"humanUsers":[],"human_users":[]', 'human_users'],
      ['"humanUsers":[],"human\\u0055sers":[]', 'humanUsers'],
    ] as const) {
      const answer = await api.app.inject({
        method: 'POST',
        url: '/management/v1/imports',
        headers: { authorization: `Bearer ${owner.pat}`, 'content-type': 'application/json' },
        payload: file(list),
      });
      expect([answer.statusCode, answer.body]).toEqual([
        400,
        expect.stringContaining(`dataOrgs.orgs[0].${name}\\" is given twice`),
      ]);
    }
  });

  it('refuses a CSV with a column twice, under one name or two', async () => {
    for (const header of ['userName,email,email', 'userName,email,mail', 'userName,metadata.a,metadata.a']) {
      const answer = await api.app.inject({
        method: 'POST',
        url: '/management/v1/imports',
        headers: { authorization: `Bearer ${owner.pat}`, 'content-type': 'text/csv' },
        payload: `${header}\na,b,c\n`,
      });
      expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('twice')]);
    }
  });
});
