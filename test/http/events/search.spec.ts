import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

interface Event {
  readonly id: string;
  readonly sequence: string;
  readonly creationDate: string;
  readonly type: string;
  readonly aggregate: { readonly type: string; readonly id: string };
  readonly resourceOwner?: string;
  readonly editor?: { readonly userId: string };
  readonly fields?: readonly string[];
  readonly payload?: Readonly<Record<string, unknown>>;
}
interface Found {
  readonly details: Readonly<Record<string, string>>;
  readonly result?: readonly Event[];
  readonly nextCursor?: string;
  readonly lastCursor?: string;
}

const OURS = '/management/v1/events/_search';
const ALL = '/admin/v1/events/_search';

const { api, world } = useWorld();
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const stranger = given(() => aServiceUser(other, 'ORG_OWNER'));

async function search(caller: ServiceUser, body: object = {}, path = OURS, headers = {}): Promise<Found> {
  const answer = await caller.call('POST', path, body, { headers });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Found>();
}

async function refusal(caller: ServiceUser, body: object, path = OURS, headers = {}) {
  const answer = await caller.call('POST', path, body, { headers });
  return { status: answer.statusCode, body: answer.json<{ message: string }>() };
}

const typesIn = ({ result = [] }: Found) => result.map(({ type }) => type);
const idsIn = ({ result = [] }: Found) => result.map(({ id }) => id);

let projects = 0;

/** A project of its own with `times` changes: events about one thing. */
async function projectWith(caller: ServiceUser, times: number): Promise<string> {
  const name = () => `Project ${(projects += 1)}`;
  const added = await caller.call('POST', 'projects', { name: name() });
  expect(added.statusCode, added.body).toBe(200);
  const { id } = added.json<{ id: string }>();
  for (let time = 1; time <= times; time += 1) {
    const body = { name: name() };
    const changed = await caller.call('PUT', `projects/${id}`, body);
    expect(changed.statusCode).toBe(200);
  }
  return id;
}

describe('a search of the audit log', () => {
  it('shows who did what to which object, and when', async () => {
    const id = await projectWith(owner, 1);
    const { result, details } = await search(owner, { aggregateType: 'project', aggregateId: id });
    expect(result).toEqual([
      {
        id: expect.stringMatching(/^\d+$/) as string,
        sequence: '2',
        creationDate: expect.stringMatching(/Z$/) as string,
        type: 'project.changed',
        aggregate: { type: 'project', id, name: `Project ${projects}` },
        resourceOwner: world.orgId,
        editor: { userId: owner.userId },
        fields: expect.arrayContaining(['name']) as string[],
      },
      expect.objectContaining({ sequence: '1', type: 'project.added' }),
    ]);
    expect(details).toEqual({
      processedSequence: expect.stringMatching(/^\d+$/) as string,
      viewTimestamp: expect.stringMatching(/Z$/) as string,
    });
  });

  it('finds by time, editor, object, kind of object and types, all at once', async () => {
    const mine = await aServiceUser(world, 'ORG_OWNER');
    const id = await projectWith(mine, 2);
    await api.advance(3600);
    const { rows } = await api.sql.query<{ now: Date }>('SELECT app_now() AS now');
    const now = rows[0]?.now.toISOString();
    await mine.call('POST', `projects/${id}/_deactivate`, {});
    const by = { editorUserId: mine.userId };
    expect(typesIn(await search(owner, by))).toEqual([
      'project.deactivated',
      'project.changed',
      'project.changed',
      'project.added',
    ]);
    expect(typesIn(await search(owner, { ...by, createdFrom: now }))).toEqual(['project.deactivated']);
    expect(typesIn(await search(owner, { ...by, createdBefore: now }))).toHaveLength(3);
    expect(typesIn(await search(owner, { ...by, types: ['project.added'] }))).toEqual(['project.added']);
    expect(typesIn(await search(owner, { ...by, types: ['project.deactivated', 'project.added'] }))).toEqual([
      'project.deactivated',
      'project.added',
    ]);
    expect(typesIn(await search(owner, { ...by, aggregateType: 'project' }))).toHaveLength(4);
    expect(typesIn(await search(owner, { ...by, aggregateType: 'user' }))).toEqual([]);
    expect(typesIn(await search(owner, { ...by, aggregateId: id, query: { asc: true } }))).toEqual([
      'project.added',
      'project.changed',
      'project.changed',
      'project.deactivated',
    ]);
    const inInstance = { ...by, organizationId: world.orgId };
    expect(typesIn(await search(root, inInstance, ALL))).toHaveLength(4);
    expect(typesIn(await search(root, { ...by, organizationId: other.orgId }, ALL))).toEqual([]);
  });

  it.each([
    [{ types: ['user.sneezed'] }, 'types[0] is none of the types that docs/events.md lists'],
    [{ types: [] }, 'types must not be empty'],
    [{ aggregateType: 'sneeze' }, 'aggregateType is none of the kinds'],
    [{ createdFrom: 'yesterday' }, 'createdFrom must be a time as in RFC 3339'],
    [{ query: { limit: 1001 } }, 'query.limit must be a whole number from 1 to 1000'],
    [{ query: { offset: 3 } }, 'has an unknown field "offset"'],
    [{ query: { cursor: 'bogus' } }, 'query.cursor is not one of a search of events'],
    [{ organizationId: 'x' }, 'organizationId'],
  ])('refuses %j and says why', async (body, message) => {
    const answer = await refusal(owner, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });
});

describe('pages', () => {
  it.each([true, false])('go through all of it once while events are written (ascending %s)', async (asc) => {
    const mine = await aServiceUser(world, 'ORG_OWNER');
    await projectWith(mine, 6);
    const by = { editorUserId: mine.userId };
    const before = idsIn(await search(owner, { ...by, query: { asc } }));
    expect(before).toHaveLength(7);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search(owner, { ...by, query: { asc, limit: 2, cursor } });
      seen.push(...idsIn(page));
      cursor = page.nextCursor;
      await projectWith(mine, 0);
      // enough is written meanwhile that an ascending search would go on for ever
      if (seen.length >= before.length) break;
    } while (cursor !== undefined);
    expect(seen.slice(0, before.length)).toEqual(before);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('end without a next one, and later events follow the last', async () => {
    const mine = await aServiceUser(world, 'ORG_OWNER');
    await projectWith(mine, 1);
    const by = { editorUserId: mine.userId };
    const whole = await search(owner, { ...by, query: { asc: true, limit: 2 } });
    expect(typesIn(whole)).toEqual(['project.added', 'project.changed']);
    expect(whole.nextCursor).toBeUndefined();
    const nothing = await search(owner, { ...by, query: { asc: true, cursor: whole.lastCursor } });
    expect(nothing.result ?? []).toEqual([]);
    expect(nothing.lastCursor).toBe(whole.lastCursor);
    await projectWith(mine, 0);
    const later = await search(owner, { ...by, query: { asc: true, cursor: nothing.lastCursor } });
    expect(typesIn(later)).toEqual(['project.added']);
  });

  it('miss nothing of a transaction that is still open when they are read in the order of time', async () => {
    const mine = await aServiceUser(world, 'ORG_OWNER');
    const by = { editorUserId: mine.userId, query: { asc: true } };
    // as the service itself, whose transactions alone write events
    const slow = new Client({ connectionString: api.config.postgres.url });
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query(
      `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id)
       VALUES ($1, 'project', 'slow', 1, 'project.added', $2)`,
      [world.orgId, mine.userId],
    );
    await projectWith(mine, 0);
    expect((await search(owner, by)).result ?? []).toEqual([]);
    // newest first nobody goes on from there, so that nothing is held back
    expect(typesIn(await search(owner, { editorUserId: mine.userId }))).toEqual(['project.added']);
    await slow.query('COMMIT');
    await slow.end();
    const found = await search(owner, by);
    expect(found.result?.map(({ aggregate }) => aggregate.id === 'slow')).toEqual([true, false]);
  });
});

describe('who sees what', () => {
  it('S224: an organization sees only its own events, whatever it asks for', async () => {
    const theirs = await projectWith(stranger, 1);
    await api.sql.query(
      `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
       VALUES (NULL, 'membership', $1, 1, 'instance.member.added', $1, '{"roles": "IAM_OWNER"}')`,
      [owner.userId],
    );
    for (const body of [
      {},
      { aggregateId: theirs },
      { aggregateType: 'project', aggregateId: theirs },
      { editorUserId: stranger.userId },
      { types: ['instance.member.added'] },
      { aggregateType: 'membership' },
      { aggregateId: owner.userId },
      { createdFrom: '2020-01-01T00:00:00Z', query: { asc: true, limit: 1000 } },
    ]) {
      const { result = [] } = await search(owner, body);
      expect(new Set(result.map(({ resourceOwner }) => resourceOwner))).toEqual(
        new Set(result.length === 0 ? [] : [world.orgId]),
      );
    }
    expect(await refusal(owner, {}, OURS, { 'x-org-id': other.orgId })).toEqual({
      status: 403,
      body: errorBody(7, 'No matching permissions found', 'AUTH-5mWD2'),
    });
    const ofInstance = await search(root, { types: ['instance.member.added'] }, ALL);
    expect(ofInstance.result).toHaveLength(1);
    expect(ofInstance.result?.[0]).not.toHaveProperty('resourceOwner');
    const asOther = await search(root, { aggregateId: theirs }, OURS, { 'x-org-id': other.orgId });
    expect(typesIn(asOther)).toEqual(['project.changed', 'project.added']);
  });

  it('S225: a cursor is accepted only in the search that it was made in', async () => {
    const body = { query: { limit: 1 } };
    const { nextCursor } = await search(owner, body);
    const elsewhere = { query: { limit: 1, cursor: nextCursor } };
    const refused = {
      status: 400,
      body: errorBody(
        3,
        'query.cursor belongs to another search: the organization and all conditions must be the same',
        'QUERY-eV2c2',
      ),
    };
    expect(await refusal(stranger, elsewhere)).toEqual(refused);
    expect(await refusal(root, elsewhere, ALL)).toEqual(refused);
    expect(await refusal(root, elsewhere, OURS, { 'x-org-id': other.orgId })).toEqual(refused);
    expect(await refusal(owner, { ...elsewhere, types: ['project.added'] })).toEqual(refused);
    // made up, with the right conditions: a place in the log, and still the own organization's events alone
    const [, , mark] = Buffer.from(nextCursor ?? '', 'base64url')
      .toString()
      .split('.');
    const forged = Buffer.from(`99999999999999999.1.${mark}`).toString('base64url');
    const { result = [] } = await search(owner, { query: { cursor: forged, limit: 1000 } });
    expect(result.length).toBeGreaterThan(0);
    expect(new Set(result.map(({ resourceOwner }) => resourceOwner))).toEqual(new Set([world.orgId]));
  });

  it('asks for a role that may look, here and in the instance', async () => {
    expect((await search(viewer)).result?.length).toBeGreaterThan(0);
    const looker = await aServiceUser(world, 'IAM_OWNER_VIEWER');
    expect((await search(looker, {}, ALL)).result?.length).toBeGreaterThan(0);
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    expect((await refusal(manager, {})).status).toBe(403);
    expect((await refusal(owner, {}, ALL)).status).toBe(403);
  });
});

describe('a stream', () => {
  const NDJSON = { accept: 'application/x-ndjson' };
  let origin: string;

  beforeAll(async () => {
    await api.app.listen(0, '127.0.0.1');
    const { port } = api.app.getHttpServer().address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    // several megabytes, so that no buffer between here and there takes it all
    await api.sql.query(
      `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, data)
       SELECT $1, 'user', 'many-' || n, 1, 'user.human.imported', 'exporter', jsonb_build_object('import', repeat('x', 400))
       FROM generate_series(1, 60000) n`,
      [world.orgId],
    );
  });

  function open(caller: ServiceUser, body: object): Promise<IncomingMessage> {
    const request = httpRequest(origin + OURS, {
      method: 'POST',
      headers: { ...NDJSON, authorization: `Bearer ${caller.pat}`, 'content-type': 'application/json' },
    });
    request.end(JSON.stringify(body));
    return once(request, 'response').then(([response]) => response as IncomingMessage);
  }

  it('has every event that fits, one a line, in order', async () => {
    const response = await open(owner, { editorUserId: 'exporter', query: { asc: true } });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    let text = '';
    for await (const piece of response) text += String(piece);
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => Number((JSON.parse(line) as Event).id));
    expect(ids).toHaveLength(60_000);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('tells what is wrong with the question before it begins', async () => {
    const body = { query: { cursor: 'bogus' } };
    expect((await refusal(owner, body, OURS, NDJSON)).status).toBe(400);
    expect((await refusal(owner, { query: { limit: 5 } }, OURS, NDJSON)).body.message).toContain(
      'query.limit is for pages',
    );
    const nothing = await owner.call('POST', OURS, { editorUserId: 'nobody' }, { headers: NDJSON });
    expect([nothing.statusCode, nothing.body]).toEqual([200, '']);
  });

  it('S226: a caller may have two open; the service waits for slow readers and releases the slots', async () => {
    const body = { editorUserId: 'exporter' };
    const slow = await aServiceUser(world, 'ORG_OWNER_VIEWER');
    const [first, second] = [await open(slow, body), await open(slow, body)];
    const third = await open(slow, body);
    expect(third.statusCode).toBe(429);
    third.resume();
    // nobody reads: the database is not asked for what nobody takes
    const searches = async () =>
      (
        await api.sql.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity
           WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`,
        )
      ).rows[0]?.n;
    await expect.poll(searches).toBe(0);
    first.destroy();
    second.destroy();
    await expect
      .poll(async () => {
        const again = await open(slow, { editorUserId: 'nobody' });
        again.resume();
        return again.statusCode;
      })
      .toBe(200);
  });

  it('ends, without a proper end, when the right to look ends', async () => {
    const leaving = await aServiceUser(world, 'ORG_OWNER_VIEWER');
    const response = await open(leaving, { editorUserId: 'exporter' });
    await once(response, 'readable');
    await api.sql.query('DELETE FROM memberships WHERE user_id = $1', [leaving.userId]);
    let lines = 0;
    const read = (async () => {
      for await (const piece of response) lines += String(piece).split('\n').length - 1;
    })();
    await expect(read).rejects.toThrow('aborted');
    expect(lines).toBeLessThan(60_000);
  });

  it('is for those who ask for it', async () => {
    const answer = await owner.call('POST', OURS, {}, { headers: { accept: '*/*' } });
    expect(answer.headers['content-type']).toContain('application/json');
  });
});
