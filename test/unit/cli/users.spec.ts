import { describe, expect, it } from 'vitest';
import { json, serviceOf } from './support/fake-service.js';
import { identity } from './support/run-cli.js';

const HERE = { url: 'http://127.0.0.1:8080/', token: 'pat_invented-token-of-no-one' };
const USERS = '/management/v1/users';

function person(number: number, changes: object = {}): object {
  return {
    id: `u${number}`,
    details: { creationDate: '2026-01-02T03:04:05.000Z' },
    state: 'USER_STATE_ACTIVE',
    userName: `ada${number}`,
    preferredLoginName: `ada${number}@acme.example`,
    human: { profile: { displayName: 'Ada Lovelace' }, email: { email: `ada${number}@mail.example` } },
    ...changes,
  };
}

function page(total: number, ...result: object[]): object {
  return { details: { totalResult: String(total) }, result };
}

describe('identity users list', () => {
  it('asks for every condition given, and lists in columns', async () => {
    const service = serviceOf({
      [`POST ${USERS}/_search`]: [
        json(page(2, person(1), { ...person(200, { human: undefined }), machine: { name: 'Bot' } })),
      ],
    });
    const args = [
      '--user-name',
      'ada',
      '--email',
      '@mail',
      '--name',
      'Love',
      '--state',
      'locked',
      '--type',
      'human',
    ];
    const { code, out, err } = await identity(['users', 'list', ...args], '', { ...HERE, ...service });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      [
        'u1    active  ada1@acme.example    ada1@mail.example  Ada Lovelace',
        'u200  active  ada200@acme.example                     Bot',
        '',
      ].join('\n'),
    );
    const method = 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE';
    expect(JSON.parse(service.asked[0]?.body.toString() ?? '')).toEqual({
      query: { limit: 100, asc: true },
      queries: [
        { userNameQuery: { userName: 'ada', method } },
        { emailQuery: { emailAddress: '@mail', method } },
        { displayNameQuery: { displayName: 'Love', method } },
        { stateQuery: { state: 'USER_STATE_LOCKED' } },
        { typeQuery: { type: 'TYPE_HUMAN' } },
      ],
    });
  });

  it('turns pages up to the limit, and tells of the rest', async () => {
    const full = Array.from({ length: 1000 }, (_, index) => person(index));
    const service = serviceOf({
      [`POST ${USERS}/_search`]: [
        json({ ...page(5000, ...full), nextCursor: 'place' }),
        json({ ...page(5000, person(1)), nextCursor: 'next' }),
      ],
    });
    const args = ['users', 'list', '--limit', '1001', '--json'];
    const { out, err } = await identity(args, '', { ...HERE, ...service });
    expect(JSON.parse(out)).toHaveLength(1001);
    expect(err).toBe('1001 of 5000 users: see --limit.\n');
    const asked = service.asked.map(({ body }) => (JSON.parse(body.toString()) as { query: object }).query);
    expect(asked).toEqual([
      { limit: 1000, asc: true },
      { limit: 1, cursor: 'place', asc: true },
    ]);
  });

  it('turns pages by offset where the service has no cursors', async () => {
    const full = Array.from({ length: 1000 }, (_, index) => person(index));
    const service = serviceOf({
      [`POST ${USERS}/_search`]: [json(page(1002, ...full)), json(page(1002, person(1), person(2)))],
    });
    const args = ['users', 'list', '--limit', '5000', '--json'];
    const { out, err } = await identity(args, '', { ...HERE, ...service });
    expect([(JSON.parse(out) as unknown[]).length, err]).toEqual([1002, '']);
    const asked = service.asked.map(({ body }) => (JSON.parse(body.toString()) as { query: object }).query);
    expect(asked).toEqual([
      { limit: 1000, asc: true },
      { limit: 1000, offset: '1000', asc: true },
    ]);
  });

  it('compares as a whole with --exact, says so when there is nobody, and refuses a limit of nothing', async () => {
    const service = serviceOf({ [`POST ${USERS}/_search`]: [json({ details: {} })] });
    const around = { ...HERE, ...service };
    const { code, out, err } = await identity(['users', 'list', '--user-name', 'Ada', '--exact'], '', around);
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: 'There are no such users.\n' });
    expect(service.asked[0]?.body.toString()).toContain('"TEXT_QUERY_METHOD_EQUALS"');
    expect((await identity(['users', 'list', '--limit', '0'], '', around)).code).toBe(2);
  });
});

describe('identity users, one of them', () => {
  it.each([
    ['deactivate', '_deactivate'],
    ['reactivate', '_reactivate'],
    ['lock', '_lock'],
    ['unlock', '_unlock'],
    ['resend-verification', 'email/_resend_verification'],
  ])('%s changes one user, and tells them as they then are', async (verb, action) => {
    const service = serviceOf({
      [`GET ${USERS}/a%2Fb`]: [json({ user: person(1, { id: 'a/b' }) })],
      [`POST ${USERS}/a%2Fb/${action}`]: [json({ details: {} })],
    });
    const { code, out } = await identity(['users', verb, 'a/b'], '', { ...HERE, ...service });
    expect(code).toBe(0);
    expect(out).toContain('User a/b is active\n');
    expect(out).toContain('e-mail      ada1@mail.example (not verified)\n');
    expect(service.asked.map(({ path }) => path)).toEqual([
      `${USERS}/a%2Fb`,
      `${USERS}/a%2Fb/${action}`,
      `${USERS}/a%2Fb`,
    ]);
  });

  it.each(['get', 'lock', 'remove'])('%s takes a login name, too', async (verb) => {
    const name = 'ada1@acme.example';
    const service = serviceOf({
      [`GET ${USERS}/${encodeURIComponent(name)}`]: [json({ message: 'User could not be found' }, 404)],
      [`POST ${USERS}/_search`]: [json(page(1, person(1)))],
      [`GET ${USERS}/u1`]: [json({ user: person(1) })],
      [`POST ${USERS}/u1/_lock`]: [json({ details: {} })],
      [`DELETE ${USERS}/u1`]: [json({ details: {} })],
    });
    const yes = verb === 'remove' ? ['--yes'] : [];
    const { code, out } = await identity(['users', verb, name, ...yes], '', { ...HERE, ...service });
    expect(code).toBe(0);
    expect(out).toContain('u1');
    const search = JSON.parse(service.asked[1]?.body.toString() ?? '{}') as object;
    expect(search).toMatchObject({
      queries: [{ loginNameQuery: { loginName: name, method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' } }],
    });
  });

  it('changes nobody where a login name is that of several', async () => {
    const service = serviceOf({
      [`GET ${USERS}/ada`]: [json({ message: 'User could not be found' }, 404)],
      [`POST ${USERS}/_search`]: [json(page(2, person(1), person(2)))],
    });
    const { code, err } = await identity(['users', 'lock', 'ada'], '', { ...HERE, ...service });
    expect(code).toBe(1);
    expect(err).toContain('several users of this organization have this login name: give the id');
    expect(service.asked).toHaveLength(2);
  });

  it('says so where nobody has the id or login name', async () => {
    const service = serviceOf({
      [`GET ${USERS}/nobody`]: [json({ message: 'User could not be found' }, 404)],
      [`POST ${USERS}/_search`]: [json(page(0))],
    });
    const { code, err } = await identity(['users', 'lock', 'nobody'], '', { ...HERE, ...service });
    expect(code).toBe(1);
    expect(err).toContain('no user of this organization has this id or login name');
    expect(service.asked).toHaveLength(2);
  });

  it('shows no control character of a name', async () => {
    const steering = { profile: { displayName: 'Eve\u001b[2J\u202e' }, email: { email: 'e@mail.example' } };
    const service = serviceOf({ [`GET ${USERS}/u1`]: [json({ user: person(1, { human: steering }) })] });
    const { out } = await identity(['users', 'get', 'u1'], '', { ...HERE, ...service });
    expect(out).toContain('Eve?[2J?\n');
  });

  it('is removed only with --yes', async () => {
    const service = serviceOf({
      [`GET ${USERS}/u1`]: [json({ user: person(1) })],
      [`DELETE ${USERS}/u1`]: [json({ details: {} })],
    });
    const around = { ...HERE, ...service };
    expect((await identity(['users', 'remove', 'u1'], '', around)).code).toBe(2);
    expect(service.asked).toEqual([]);
    const { code, out } = await identity(['users', 'remove', 'u1', '--yes', '--json'], '', around);
    expect({ code, out }).toEqual({ code: 0, out: '{"id":"u1"}\n' });
  });
});
