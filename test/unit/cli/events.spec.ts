import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/cli/shell/moments.js';
import { json, serviceOf } from './support/fake-service.js';
import { identity } from './support/run-cli.js';

const HERE = { url: 'http://127.0.0.1:8080/', token: 'pat_invented-token-of-no-one' };
const OURS = 'POST /management/v1/events/_search';
const ALL = 'POST /admin/v1/events/_search';
const USERS = 'POST /management/v1/users/_search';

function event(number: number, changes: object = {}): object {
  return {
    id: String(number),
    sequence: '1',
    creationDate: '2026-01-02T03:04:05.678Z',
    type: 'user.locked',
    aggregate: { type: 'user', id: `u${number}` },
    resourceOwner: 'o1',
    editor: { userId: 'admin' },
    ...changes,
  };
}

const bodyOf = (asked: { readonly body: Buffer } | undefined): unknown =>
  JSON.parse(asked?.body.toString() ?? 'null');

describe('identity events', () => {
  it('asks for every condition given, and tells an event a line', async () => {
    const automatic = {
      editor: undefined,
      fields: ['state'],
      payload: { failures: 5, reason: 'wrong\u001b[2J' },
    };
    // nobody has these as login names: they are ids
    const service = serviceOf({
      [OURS]: [json({ result: [event(1), event(2, automatic)] })],
      [USERS]: [json({ result: [] })],
    });
    const args = ['--since', '2026-01-02', '--until', '2026-01-03T00:00Z', '--editor', 'admin', '--asc'];
    const { code, out, err } = await identity(
      ['events', ...args, '--type', 'user.locked, user.unlocked', '--aggregate', 'user:u:1'],
      '',
      { ...HERE, ...service },
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      [
        '2026-01-02T03:04:05Z  user.locked                         user:u1                               by admin',
        '2026-01-02T03:04:05Z  user.locked                         user:u2                               by the service          [state] failures=5 reason=wrong?[2J',
        '',
      ].join('\n'),
    );
    expect(bodyOf(service.asked.at(-1))).toEqual({
      createdFrom: '2026-01-02T00:00:00.000Z',
      createdBefore: '2026-01-03T00:00:00.000Z',
      editorUserId: 'admin',
      types: ['user.locked', 'user.unlocked'],
      aggregateType: 'user',
      aggregateId: 'u:1',
      query: { asc: true, limit: 100 },
    });
  });

  it('takes login names of users', async () => {
    const service = serviceOf({
      [USERS]: [json({ result: [{ id: 'u1' }] }), json({ result: [{ id: 'u2' }] })],
      [OURS]: [json({ result: [event(1)] })],
    });
    const args = ['events', '--editor', 'ada@acme.example', '--aggregate', 'user:ben@acme.example'];
    expect((await identity(args, '', { ...HERE, ...service })).code).toBe(0);
    expect(bodyOf(service.asked[0])).toMatchObject({
      queries: [{ loginNameQuery: { loginName: 'ada@acme.example' } }],
    });
    expect(bodyOf(service.asked.at(-1))).toMatchObject({
      editorUserId: 'u1',
      aggregateType: 'user',
      aggregateId: 'u2',
    });
  });

  it.each([
    [[], 'no user of this organization has the login name ada@acme.example'],
    [[{ id: 'u1' }, { id: 'u2' }], 'several users of this organization have this login name: give the id'],
  ])('searches nothing where a login name is not of one user: %j', async (result, told) => {
    const service = serviceOf({ [USERS]: [json({ result })] });
    const { code, err } = await identity(['events', '--editor', 'ada@acme.example'], '', {
      ...HERE,
      ...service,
    });
    expect({ code, asked: service.asked.length }).toEqual({ code: 1, asked: 1 });
    expect(err).toContain(told);
  });

  it('asks for no login name of what is no user', async () => {
    const service = serviceOf({ [OURS]: [json({ result: [] })] });
    expect(
      (await identity(['events', '--aggregate', 'application:a1'], '', { ...HERE, ...service })).code,
    ).toBe(0);
    expect(service.asked).toHaveLength(1);
  });

  it('turns pages up to the limit, and says that there is more', async () => {
    const full = Array.from({ length: 1000 }, (_, index) => event(index));
    const service = serviceOf({
      [ALL]: [json({ result: full, nextCursor: 'c1' }), json({ result: [event(7)], nextCursor: 'c2' })],
    });
    const args = ['events', '--all-orgs', '--of-org', 'o1', '--limit', '1001', '--json'];
    const { out, err } = await identity(args, '', { ...HERE, ...service });
    expect(JSON.parse(out)).toHaveLength(1001);
    expect(err).toBe('These are 1001, and there are more: see --limit.\n');
    expect(service.asked.map(bodyOf)).toEqual([
      { organizationId: 'o1', query: { asc: false, limit: 1000 } },
      { organizationId: 'o1', query: { asc: false, cursor: 'c1', limit: 1 } },
    ]);
  });

  it('writes the stream as it comes with --format ndjson', async () => {
    const lines = `${JSON.stringify(event(1))}\n${JSON.stringify(event(2))}\n`;
    const service = serviceOf({ [OURS]: [() => new Response(lines)] });
    const { code, out } = await identity(['events', '--format', 'ndjson'], '', { ...HERE, ...service });
    expect({ code, out }).toEqual({ code: 0, out: lines });
    expect(service.asked[0]?.headers.get('accept')).toBe('application/x-ndjson');
    expect(bodyOf(service.asked[0])).toEqual({ query: { asc: false } });
  });

  it.each([
    ['EPIPE', 0, ''],
    ['ENOSPC', 1, 'identity events: cannot write standard output: the disk is full\n'],
  ])('ends when standard output takes no more, by %s', async (code, exit, told) => {
    const unwritable = Object.assign(new Error(`${code}: it fails, write`), { code, syscall: 'write' });
    let read = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(stream) {
            read += 1;
            stream.enqueue(new TextEncoder().encode(`${JSON.stringify(event(read))}\n`));
          },
        }),
      );
    const page = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return json({ result: [event(1)], lastCursor: 'c1' })();
    };
    for (const [args, answer] of [
      [['events', '--format', 'ndjson'], endless],
      [['events', '--follow'], page],
    ] as const) {
      const service = serviceOf({ [OURS]: [answer] });
      const done = await identity(args, '', { ...HERE, ...service, unwritable });
      expect({ code: done.code, err: done.err }).toEqual({ code: exit, err: told });
      expect(done.out.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('says when a stream broke off', async () => {
    const broken = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('{}\n'));
        stream.error(
          new TypeError('terminated', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) }),
        );
      },
    });
    const service = serviceOf({ [OURS]: [() => new Response(broken)] });
    const { code, err } = await identity(['events', '--format', 'ndjson'], '', { ...HERE, ...service });
    expect(code).toBe(1);
    expect(err).toContain('ECONNRESET');
  });

  it('goes on after the last event with --follow, until Ctrl-C', async () => {
    const interrupt = new AbortController();
    const named = { type: 'user', id: 'u1', name: 'Grace Hopper' };
    const service = serviceOf({
      [OURS]: [
        json({ result: [{ ...event(1), aggregate: named, target: named }], lastCursor: 'c1' }),
        json({ lastCursor: 'c1' }),
        () => {
          interrupt.abort();
          return json({ result: [event(2)], lastCursor: 'c2' })();
        },
      ],
    });
    const { code, out } = await identity(['events', '--follow', '--format', 'ndjson'], '', {
      ...HERE,
      ...service,
      interrupt: interrupt.signal,
    });
    expect(code).toBe(130);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    // a file has no names, as that of a stream has none
    expect(out).toContain('"aggregate":{"type":"user","id":"u1"}');
    expect(out).not.toContain('Hopper');
    const cursors = service.asked.map(
      (asked) => (bodyOf(asked) as { query: { cursor?: string } }).query.cursor,
    );
    expect(cursors).toEqual([undefined, 'c1', 'c1']);
  });

  it.each([
    [['--since', 'yesterday'], '--since is a time such as'],
    [['--limit', '0'], 'Must be a whole number, 1 or more.'],
    [['--of-org', 'o1'], '--of-org goes with --all-orgs'],
    [['--follow', '--limit', '5'], '--follow goes on until it is interrupted'],
    [['--json', '--format', 'ndjson'], '--json writes one list'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await identity(['events', ...args], '', HERE);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('times', () => {
  const now = Date.parse('2026-01-10T00:00:00Z');

  it.each([
    ['90s', '2026-01-09T23:58:30.000Z'],
    ['15m', '2026-01-09T23:45:00.000Z'],
    ['1h', '2026-01-09T23:00:00.000Z'],
    ['7d', '2026-01-03T00:00:00.000Z'],
    ['2026-01-02T03:04+01:00', '2026-01-02T02:04:00.000Z'],
  ])('%s is %s', (given, expected) => {
    expect(momentOf('--since', given, now)).toBe(expected);
  });
});
