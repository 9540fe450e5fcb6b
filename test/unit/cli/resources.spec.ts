import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { identity, inDirectory } from './support/run-cli.js';
import { service } from './support/service.js';

const ID = '8Jq2vZ1xT0aB4cD6eF8gHi';

describe('identity webhooks', () => {
  it('lists them with what is wrong, and steers no terminal with their names', async () => {
    const webhook = { id: ID, state: 'STATE_ACTIVE', name: 'Sync\u001b[2J', url: 'https://a.example/' };
    const some = service({
      details: { totalResult: '3' },
      result: [{ ...webhook, failures: 4, lastError: 'http_503' }],
    });
    expect(
      await identity(['webhooks', 'list', '--instance', '--limit', '1', '--offset', '1'], '', some.around),
    ).toEqual({
      code: 0,
      out: `${ID}  STATE_ACTIVE  Sync?[2J  https://a.example/  4 failures in a row, http_503\n`,
      err: '1 of 3\n',
    });
    expect(some.asked).toEqual([
      { call: 'POST /admin/v1/webhooks/_search', body: { query: { limit: 1, offset: '1' } } },
    ]);
  });

  it('lists as many as are asked for, page after page, and tells of the rest with --json as well', async () => {
    const some = service({ details: { totalResult: '5' }, result: [{ id: ID }], nextCursor: 'place' });
    const { code, out, err } = await identity(
      ['webhooks', 'list', '--limit', '3', '--json'],
      '',
      some.around,
    );
    expect({ code, listed: JSON.parse(out) as unknown, err }).toEqual({
      code: 0,
      listed: [{ id: ID }, { id: ID }, { id: ID }],
      err: '3 of 5\n',
    });
    expect(some.asked.map(({ body }) => body)).toEqual([
      { query: { limit: 3 } },
      { query: { limit: 2, cursor: 'place' } },
      { query: { limit: 1, cursor: 'place' } },
    ]);
    const tokens = service({ details: { totalResult: '2' }, result: [{ id: ID }], nextCursor: 'place' });
    await identity(['scim-tokens', 'list', '--limit', '2', '--offset', '4', '--json'], '', tokens.around);
    expect(tokens.asked.map(({ call }) => call)).toEqual([
      'GET /management/v1/orgs/me/scim_tokens?limit=2&offset=4',
      'GET /management/v1/orgs/me/scim_tokens?limit=1&cursor=place',
    ]);
  });

  it('tells of the rest of what is counted to 10,000 only', async () => {
    const details = { totalResult: '1', hasMoreThanTotal: true };
    const some = service({ details, result: [{ id: ID }], nextCursor: 'place' });
    const { err } = await identity(['webhooks', 'list', '--limit', '1', '--json'], '', some.around);
    expect(err).toBe('1 of more than 1\n');
  });

  it('takes settings from standard input, and refuses what is no object without repeating it', async () => {
    const made = service({ id: ID, secret: 'not-a-real-secret' });
    const done = await identity(['webhooks', 'create', '--file', '-'], '{"name":"Sync"}', made.around);
    expect(done).toEqual({
      code: 0,
      out: `Created the webhook ${ID}.\nShown this once: not-a-real-secret\n`,
      err: '',
    });
    expect(made.asked).toEqual([{ call: 'POST /management/v1/webhooks', body: { name: 'Sync' } }]);
    const wrong = await identity(['webhooks', 'create', '--file', '-'], '["hunter2"]', made.around);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('standard input is no JSON object');
    expect(wrong.err).not.toContain('hunter2');
    expect((await identity(['webhooks', 'create'], '', made.around)).code).toBe(2);
  });

  it('writes a secret to a new file and nowhere else, and asks for nothing when the file is there', async () => {
    await inDirectory(async (directory) => {
      const file = path.join(directory, 'secret');
      const made = service({ id: ID, secret: 'not-a-real-secret' });
      const args = ['webhooks', 'create', '--file', '-', '--secret-file', file, '--json'];
      const done = await identity(args, '{}', made.around);
      expect(done).toMatchObject({ code: 0, out: `{"id":"${ID}"}\n` });
      expect(await readFile(file, 'utf8')).toBe('not-a-real-secret\n');
      await writeFile(file, 'another\n');
      const again = await identity(args, '{}', made.around);
      expect(again.code).toBe(1);
      expect(again.err).toContain('something has that name');
      expect(made.asked).toHaveLength(1);
      expect(await readFile(file, 'utf8')).toBe('another\n');
    });
  });

  it.each([
    // no folder can be made there, and Node's own recursive mkdir never ends
    '/proc/nowhere/at/all/secret',
    // there is the folder, and no file can be made in it
    '/sys/secret',
  ])('asks for nothing where it cannot write %s', async (file) => {
    const made = service({ id: ID, secret: 'not-a-real-secret' });
    const done = await identity(['webhooks', 'change-secret', ID, '--secret-file', file], '', made.around);
    expect(done).toMatchObject({ code: 1, out: '' });
    const reasons = 'there is no such folder|permission denied|the file system is read-only';
    expect(done.err).toMatch(
      new RegExp(`^identity webhooks change-secret: cannot write ${file}: (${reasons})\\n$`),
    );
    expect(made.asked).toEqual([]);
  });

  it.each([true, false])('prints a secret whose file failed after the call, as JSON %s', async (asJson) => {
    await inDirectory(async (directory) => {
      const folder = path.join(directory, 'gone');
      const file = path.join(folder, 'secret');
      const made = service({ id: ID, secret: 'not-a-real-secret' });
      const fetch: typeof globalThis.fetch = async (...asked) => {
        await rm(folder, { recursive: true });
        return await made.around.fetch(...asked);
      };
      const args = ['webhooks', 'change-secret', ID, '--secret-file', file, ...(asJson ? ['--json'] : [])];
      const { code, out, err } = await identity(args, '', { ...made.around, fetch });
      expect(code).toBe(1);
      expect(out).toContain(asJson ? '"secret":"not-a-real-secret"' : 'Shown this once: not-a-real-secret\n');
      expect(err).toBe(
        `identity webhooks change-secret: cannot write ${file}: there is no such folder. ` +
          'The secret is on standard output instead\n',
      );
    });
  });

  it.each(['EPIPE', 'ENOSPC'])('says that a secret was shown nowhere: %s', async (code) => {
    const unwritable = Object.assign(new Error(`${code}: it fails, write`), { code, syscall: 'write' });
    const made = service({ id: ID, secret: 'not-a-real-secret' });
    const done = await identity(['webhooks', 'change-secret', ID], '', { ...made.around, unwritable });
    expect(done).toEqual({
      code: 1,
      out: `The webhook ${ID} has a new secret.\n`,
      err:
        'identity webhooks change-secret: the new secret could not be written to standard output and is lost: ' +
        'make another one\n',
    });
  });

  it('says so too where its file failed before', async () => {
    await inDirectory(async (directory) => {
      const folder = path.join(directory, 'gone');
      const file = path.join(folder, 'secret');
      const unwritable = Object.assign(new Error('EPIPE: it fails, write'), { code: 'EPIPE' });
      const made = service({ id: ID, secret: 'not-a-real-secret' });
      const fetch: typeof globalThis.fetch = async (...asked) => {
        await rm(folder, { recursive: true });
        return await made.around.fetch(...asked);
      };
      const args = ['webhooks', 'change-secret', ID, '--secret-file', file];
      const { code, err } = await identity(args, '', { ...made.around, fetch, unwritable });
      expect(code).toBe(1);
      expect(err).toBe(
        `identity webhooks change-secret: cannot write ${file}: there is no such folder; ` +
          'the new secret could not be written to standard output and is lost: make another one\n',
      );
    });
  });

  it('leaves no file where the call failed', async () => {
    await inDirectory(async (directory) => {
      const around = { ...service({}).around, fetch: () => Promise.reject(new TypeError('fetch failed')) };
      const args = ['webhooks', 'change-secret', ID, '--secret-file', path.join(directory, 'secret')];
      expect((await identity(args, '', around)).code).toBe(1);
      expect(await readdir(directory)).toEqual([]);
    });
  });

  it.each([true, false])(
    'leaves no file behind where Ctrl-C ends the call, answered later: %s',
    async (answers) => {
      await inDirectory(async (directory) => {
        const pressed = new AbortController();
        const made = service({ id: ID, secret: 'not-a-real-secret' });
        const fetch: typeof globalThis.fetch = async (...asked) => {
          pressed.abort();
          if (!answers) return await new Promise<never>(() => undefined);
          await new Promise(setImmediate);
          return await made.around.fetch(...asked);
        };
        const args = ['webhooks', 'change-secret', ID, '--secret-file', path.join(directory, 'secret')];
        const done = await identity(args, '', { ...made.around, fetch, interrupt: pressed.signal });
        expect(done).toEqual({
          code: 130,
          out: '',
          err:
            'identity webhooks change-secret: interrupted; the service may have made the secret nevertheless. ' +
            'It is lost then, and one from before may have ended: make another one\n',
        });
        expect(await readdir(directory)).toEqual([]);
      });
    },
  );

  it('ends with 1 when a ping was not delivered', async () => {
    const fine = service({ delivered: true, status: 204, durationMs: 12 });
    expect(await identity(['webhooks', 'test', ID], '', fine.around)).toMatchObject({
      code: 0,
      out: 'Delivered in 12 ms (204).\n',
    });
    const away = service({ delivered: false, reason: 'http_timeout', durationMs: 5000 });
    expect(await identity(['webhooks', 'test', ID], '', away.around)).toMatchObject({
      code: 1,
      out: 'Not delivered after 5000 ms: http_timeout.\n',
    });
  });

  it('removes nothing unconfirmed', async () => {
    const none = service({});
    const { code, err } = await identity(['webhooks', 'remove', ID], '', none.around);
    expect(code).toBe(2);
    expect(err).toContain('removing a webhook cannot be undone');
    expect(none.asked).toEqual([]);
  });
});

it('identity projects list names the resource that tokens can be asked for, and who may ask', async () => {
  const project = { id: ID, state: 'PROJECT_STATE_ACTIVE', name: 'Maps' };
  const resourceUri = 'https://api.example/maps';
  const some = service({ details: {}, result: [project, { ...project, resourceUri, openResource: true }] });
  expect((await identity(['projects', 'list'], '', some.around)).out.split('\n')).toEqual([
    `${ID}  PROJECT_STATE_ACTIVE  Maps`,
    `${ID}  PROJECT_STATE_ACTIVE  Maps  ${resourceUri}  open to applications that registered themselves`,
    '',
  ]);
});

describe('identity users identities', () => {
  const user = { user: { id: 'u1' } };

  it('shows who a user is elsewhere, in words that steer no terminal', async () => {
    const found = { idpName: 'Acme', externalUserId: '00u1', displayName: 'ada\u001b[2J' };
    const some = service({ ...user, result: [{ id: ID, ...found }] });
    expect(await identity(['users', 'identities', 'list', 'u1'], '', some.around)).toEqual({
      code: 0,
      out: `${ID}  Acme  00u1  ada?[2J  never used\n`,
      err: '',
    });
    expect(some.asked.map(({ call }) => call)).toEqual([
      'GET /management/v1/users/u1',
      'GET /management/v1/users/u1/idps',
    ]);
  });

  it('adds one by the id of its provider', async () => {
    const some = service({ ...user, id: ID });
    const args = ['users', 'identities', 'add', 'u1', '--provider', 'p1', '--external-id', '00u1'];
    expect((await identity(args, '', some.around)).out).toBe(`Added the identity ${ID} to u1.\n`);
    expect(some.asked.at(-1)).toEqual({
      call: 'POST /management/v1/users/u1/idps',
      body: { idpId: 'p1', externalUserId: '00u1' },
    });
  });

  it('removes one that is confirmed, and nothing else', async () => {
    const some = service(user);
    const args = ['users', 'identities', 'remove', 'u1', ID];
    expect((await identity(args, '', some.around)).code).toBe(2);
    expect(some.asked).toEqual([]);
    expect((await identity([...args, '--yes'], '', some.around)).code).toBe(0);
    expect(some.asked.at(-1)).toMatchObject({ call: `DELETE /management/v1/users/u1/idps/${ID}` });
  });
});

describe('identity projects update', () => {
  const project = { name: 'Maps', projectRoleCheck: true };
  const details = { sequence: '7', resourceOwner: 'acme' };

  it('takes what get prints, for as long as nobody else has changed it', async () => {
    const shown = { ...project, id: ID, state: 'PROJECT_STATE_ACTIVE', details };
    const some = service({ project: shown });
    const { out } = await identity(['projects', 'get', ID], '', some.around);
    expect(JSON.parse(out)).toEqual(shown);
    await identity(['projects', 'update', ID, '--file', '-'], out, some.around);
    expect(some.asked.at(-1)).toEqual({
      call: `PUT /management/v1/projects/${ID}`,
      body: project,
      ifMatch: '"7"',
    });
  });

  it('sends what it is given alone, without a condition, and leaves wrong members to the service', async () => {
    const some = service({});
    const given = { ...project, nmae: 'Typo' };
    await identity(['projects', 'update', ID, '--file', '-'], JSON.stringify(given), some.around);
    expect(some.asked).toEqual([{ call: `PUT /management/v1/projects/${ID}`, body: given }]);
  });
});

describe('identity login-policy', () => {
  const policy = { allowExternalIdps: true, instanceIdps: [ID], homeRealmIdpId: ID };
  const path = '/management/v1/policies/login';

  it('shows it with whether it is the default, and takes that back', async () => {
    const held = {
      homeRealmIdpState: 'removed',
      isDefault: false,
      details: { sequence: '3', resourceOwner: 'acme' },
    };
    const some = service({ policy, inherited: { allowExternalIdps: true, instanceIdps: [] }, ...held });
    const { out } = await identity(['login-policy', 'get', '--json'], '', some.around);
    expect(JSON.parse(out)).toEqual({ ...policy, ...held });
    expect((await identity(['login-policy', 'set', '--file', '-'], out, some.around)).code).toBe(0);
    expect(some.asked).toEqual([
      { call: `GET ${path}`, body: null },
      { call: `PUT ${path}`, body: policy, ifMatch: '"3"' },
    ]);
  });

  it('is reset where that is confirmed', async () => {
    const some = service({});
    expect((await identity(['login-policy', 'reset'], '', some.around)).code).toBe(2);
    expect(some.asked).toEqual([]);
    expect(await identity(['login-policy', 'reset', '--yes'], '', some.around)).toEqual({
      code: 0,
      out: 'The login policy is the default.\n',
      err: '',
    });
    expect(some.asked).toEqual([{ call: `DELETE ${path}`, body: null }]);
  });
});

it('identity claims-webhook test ends with 1 when there were no claims', async () => {
  const some = service({ claims: { department: 'Sales' }, durationMs: 7 });
  expect((await identity(['claims-webhook', 'test'], '', some.around)).out).toBe(
    'After 7 ms: {"department":"Sales"}\n',
  );
  const none = service({ reason: 'http_500', durationMs: 7 });
  expect((await identity(['claims-webhook', 'test'], '', none.around)).code).toBe(1);
});
