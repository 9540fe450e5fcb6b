// SQL by hand: more dead letters than are counted
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given, givenRunning } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { isSignedBy, WebhookReceiver } from '../../support/webhook-receiver.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));
const manager = given(() => aServiceUser(world, 'ORG_USER_MANAGER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const HOOK = { name: 'Directory', url: 'https://hooks.example.com/in', eventTypes: ['user.*'] };
const receiver = givenRunning(() => WebhookReceiver.start());

interface Added {
  readonly id: string;
  readonly secret: string;
}

async function add(body: object = HOOK, by: ServiceUser = owner, path = 'webhooks'): Promise<Added> {
  const response = await by.call('POST', path, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Added>();
}

async function typesAbout(id: string): Promise<readonly string[]> {
  const { rows } = await api.sql.query<{ type: string }>(
    'SELECT type FROM events WHERE aggregate_id = $1 ORDER BY created_at, position',
    [id],
  );
  return rows.map(({ type }) => type);
}

// S243, S244, S245: addresses, secrets with an overlap, and whose webhooks they are.

describe('webhooks of an organization', () => {
  it('is added active, shows its secret once, and is read with what waits', async () => {
    const { id, secret } = await add();
    expect(secret).toMatch(/^whsec_/);
    const found = await viewer.call('GET', `webhooks/${id}`);
    expect(found.body).not.toContain(secret);
    expect(found.json()).toMatchObject({
      webhook: { ...HOOK, id, state: 'STATE_ACTIVE', failures: 0, lag: '0s', deadLetters: 0 },
    });
    const { rows } = await api.sql.query<{ row: string; sealed: Buffer }>(
      'SELECT w::text AS row, secret_sealed AS sealed FROM webhooks w WHERE id = $1',
      [id],
    );
    expect(rows[0]?.row).not.toContain(secret);
    expect(rows[0]?.sealed.includes(secret)).toBe(false);
  });

  it('says where counting what was given up stopped', async () => {
    const { id } = await add();
    const give = (from: number, to: number) =>
      api.sql.query(
        `INSERT INTO webhook_dead_letters (webhook_id, event_at, event_position, event_type, reason, attempts)
         SELECT $1, now(), n, 'user.locked', 'http_500', 8 FROM generate_series($2::int, $3::int) n`,
        [id, from, to],
      );
    const counted = async () => {
      const { webhook } = (await viewer.call('GET', `webhooks/${id}`)).json<{ webhook: object }>();
      return webhook;
    };
    await give(1, 10_000);
    expect(await counted()).toMatchObject({ deadLetters: 10_000 });
    expect(await counted()).not.toHaveProperty('hasMoreDeadLetters');
    await give(10_001, 10_001);
    expect(await counted()).toMatchObject({ deadLetters: 10_000, hasMoreDeadLetters: true });
  });

  it('is changed, switched off and on, listed and removed, each told once', async () => {
    const { id } = await add({ ...HOOK, name: 'Told once' });
    const queries = [{ nameQuery: { name: 'Told once' } }];
    const listed = await viewer.call('POST', 'webhooks/_search', { queries });
    expect(listed.json<{ result: Added[] }>().result.map((one) => one.id)).toEqual([id]);
    const changed = { ...HOOK, name: 'Told once', eventTypes: ['session.ended', 'session.ended'] };
    expect((await owner.call('PUT', `webhooks/${id}`, changed)).statusCode).toBe(200);
    expect((await owner.call('POST', `webhooks/${id}/_deactivate`)).statusCode).toBe(200);
    expect((await owner.call('POST', `webhooks/${id}/_deactivate`)).json()).toEqual(
      errorBody(9, 'Webhook is inactive already', 'HOOK-St7wk'),
    );
    expect((await owner.call('POST', `webhooks/${id}/_activate`)).statusCode).toBe(200);
    expect((await owner.call('GET', `webhooks/${id}`)).json()).toMatchObject({
      webhook: { eventTypes: ['session.ended'] },
    });
    expect((await owner.call('DELETE', `webhooks/${id}`)).statusCode).toBe(200);
    expect((await owner.call('GET', `webhooks/${id}`)).json()).toEqual(
      errorBody(5, 'Webhook could not be found', 'HOOK-Nf4tq'),
    );
    expect(await typesAbout(id)).toEqual([
      'webhook.added',
      'webhook.changed',
      'webhook.deactivated',
      'webhook.activated',
      'webhook.removed',
    ]);
  });

  it.each([
    [
      'a type that nothing has',
      { eventTypes: ['user.lokced'] },
      'eventTypes has "user.lokced", which is no type of docs/events.md, no beginning of one (user.*), and not *',
    ],
    ['no types', { eventTypes: [] }, 'eventTypes must have at least one entry'],
    ['no types at all', { eventTypes: undefined }, 'eventTypes is required'],
    ['credentials', { url: 'https://a:b@hooks.example.com' }, 'url must not contain credentials'],
    ['another scheme', { url: 'ftp://hooks.example.com' }, 'url must start with https://'],
    ['no URL', { url: 'hooks.example.com' }, 'url must be an absolute URL'],
    ['a metadata service', { url: 'https://169.254.169.254/' }, 'url must not be an internal address'],
    ['the same in another spelling', { url: 'https://0xa9fea9fe/' }, 'url must not be an internal address'],
    ['a fragment', { url: 'https://hooks.example.com/#a' }, 'url must not have a fragment'],
  ])('refuses %s', async (_case, field, message) => {
    expect((await owner.call('POST', 'webhooks', { ...HOOK, ...field })).json()).toMatchObject({
      code: 3,
      message,
    });
  });

  it('is for owners alone, and looked at by viewers', async () => {
    const { id } = await add();
    expect((await viewer.call('POST', 'webhooks', HOOK)).statusCode).toBe(403);
    expect((await viewer.call('POST', `webhooks/${id}/_test`)).statusCode).toBe(403);
    expect((await manager.call('GET', `webhooks/${id}`)).statusCode).toBe(403);
    expect((await owner.call('POST', '/admin/v1/webhooks', HOOK)).statusCode).toBe(403);
    expect((await owner.call('GET', `/admin/v1/webhooks/${id}`)).statusCode).toBe(403);
  });

  it("is nobody else's: not another organization's, not the instance's", async () => {
    const { id } = await add();
    const other = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    for (const [caller, path] of [
      [other, `webhooks/${id}`],
      [root, `/admin/v1/webhooks/${id}`],
    ] as const) {
      expect((await caller.call('GET', path)).statusCode).toBe(404);
      expect((await caller.call('PUT', path, HOOK)).statusCode).toBe(404);
      expect((await caller.call('DELETE', path)).statusCode).toBe(404);
      for (const act of ['_activate', '_deactivate', '_change_secret', '_test', 'dead_letters/_search']) {
        expect((await caller.call('POST', `${path}/${act}`)).statusCode, act).toBe(404);
      }
      expect((await caller.call('POST', `${path}/dead_letters/_replay`)).statusCode).toBe(404);
      const since = { from: '2026-01-01T00:00:00Z' };
      expect((await caller.call('POST', `${path}/_replay`, since)).statusCode).toBe(404);
    }
  });

  it('is one of twenty at most', async () => {
    const elsewhere = await anOrganization(api);
    const theirs = await aServiceUser(elsewhere, 'ORG_OWNER');
    await api.sql.query(
      `INSERT INTO webhooks (org_id, name, url, event_types)
       SELECT $1, 'One of many', 'https://hooks.example.com', '{*}' FROM generate_series(1, 19)`,
      [elsewhere.orgId],
    );
    await add(HOOK, theirs);
    expect((await theirs.call('POST', 'webhooks', HOOK)).json()).toEqual(
      errorBody(9, 'An organization can have 20 webhooks: remove one first', 'LIMITS-6Mo2w'),
    );
  });

  it('is changed only as it was read', async () => {
    const { id } = await add();
    const headers = { 'if-match': '"1"' };
    expect((await owner.call('PUT', `webhooks/${id}`, HOOK, { headers })).statusCode).toBe(200);
    expect((await owner.call('PUT', `webhooks/${id}`, HOOK, { headers })).statusCode).toBe(412);
  });

  it('starts a replay no later than now', async () => {
    const { id } = await add();
    const tomorrow = { from: new Date(Date.now() + 86_400_000).toISOString() };
    expect((await owner.call('POST', `webhooks/${id}/_replay`, tomorrow)).json()).toMatchObject({
      code: 3,
      message: 'from must not be in the future',
    });
  });
});

describe('a ping', () => {
  it('is signed by the secret, and by the one before while that counts', async () => {
    const { id, secret } = await add({ ...HOOK, url: receiver.url('/ping') });
    const ping = async () => (await owner.call('POST', `webhooks/${id}/_test`)).json<object>();
    expect(await ping()).toMatchObject({ delivered: true, status: 204 });
    const changed = await owner.call('POST', `webhooks/${id}/_change_secret`, { overlap: '60s' });
    const newer = changed.json<{ secret: string }>().secret;
    expect(newer).not.toBe(secret);
    expect((await owner.call('GET', `webhooks/${id}`)).json()).toMatchObject({
      webhook: { formerSecretUntil: expect.any(String) },
    });
    await ping();
    await api.advance(61);
    await ping();
    const [first, both, last] = receiver.at('/ping');
    expect(first?.json).toMatchObject({ type: 'webhook.ping', data: {} });
    expect(first && isSignedBy(secret, first)).toBe(true);
    expect(both && isSignedBy(secret, both) && isSignedBy(newer, both)).toBe(true);
    expect(last && isSignedBy(newer, last)).toBe(true);
    expect(last && isSignedBy(secret, last)).toBe(false);
    expect(await typesAbout(id)).toEqual(['webhook.added', 'webhook.secret.changed']);
  });

  it('follows no redirect and says what was answered', async () => {
    receiver.reply = ({ path }) =>
      path === '/moved' ? { status: 302, headers: { location: receiver.url('/target') } } : 204;
    const { id } = await add({ ...HOOK, url: receiver.url('/moved') });
    expect((await owner.call('POST', `webhooks/${id}/_test`)).json()).toMatchObject({
      delivered: false,
      status: 302,
    });
    expect(receiver.at('/target')).toEqual([]);
  });

  it('says by kind why nothing was answered', async () => {
    const { id } = await add({ ...HOOK, url: 'http://127.0.0.1:1/' });
    expect((await owner.call('POST', `webhooks/${id}/_test`)).json()).toMatchObject({
      delivered: false,
      reason: 'http_connection',
    });
  });

  it('is sent ten times a minute at most', async () => {
    const busy = await aServiceUser(world, 'ORG_OWNER');
    const { id } = await add({ ...HOOK, url: 'http://127.0.0.1:1/' }, busy);
    const statuses: number[] = [];
    for (let index = 0; index < 11; index += 1) {
      statuses.push((await busy.call('POST', `webhooks/${id}/_test`)).statusCode);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});

describe('webhooks of the instance', () => {
  it('is kept by its administrators, without a bound', async () => {
    const { id } = await add({ ...HOOK, eventTypes: ['*'] }, root, '/admin/v1/webhooks');
    expect((await root.call('GET', `/admin/v1/webhooks/${id}`)).json()).toMatchObject({
      webhook: { id, eventTypes: ['*'] },
    });
    const rows = await eventsOf(api, id, 'org_id');
    expect(rows).toEqual([{ org_id: null }]);
    expect((await root.call('DELETE', `/admin/v1/webhooks/${id}`)).statusCode).toBe(200);
  });
});
