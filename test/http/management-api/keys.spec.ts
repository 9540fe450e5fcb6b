import { decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { ReadIdTokenHint } from '../../../src/domain/authorize/request/id-token-hint.js';
import { EnsureKeys } from '../../../src/domain/signing-keys/ensure-keys.js';
import { KeyRing } from '../../../src/domain/signing-keys/key-ring.js';
import { KeySetReaders } from '../../../src/domain/signing-keys/key-set-readers.js';
import { KeySettings } from '../../../src/domain/signing-keys/key-settings.js';
import { RotateKeys } from '../../../src/domain/signing-keys/rotate-keys.js';
import { useReplica, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, userinfo } from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { stopTimeForTest } from '../../support/stopped-time.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const KEYS = '/admin/v1/keys';
const DAY = 86_400;
const LEAD = DAY + 20;

interface Key {
  id: string;
  state: string;
  algorithm: string;
  readers?: number;
}

interface AllRotated {
  id?: string;
  ids?: string[];
  waiting?: { id: string; algorithm: string; activatesAt: string }[];
  skipped?: { algorithm: string; reason: string; retryAfterSeconds?: number }[];
  message?: string;
}

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const viewer = given(() => aServiceUser(world, 'IAM_OWNER_VIEWER'));

beforeEach(async () => {
  await api.sql.query(`DELETE FROM signing_keys`);
  await api.sql.query(`DELETE FROM token_keys`);
  await api.sql.query(`DELETE FROM key_set_readers`);
  await api.app.get(EnsureKeys).run();
  api.app.get(KeyRing).forget();
});

async function keys(algorithm = 'RS256'): Promise<Key[]> {
  const response = await viewer.call('GET', `${KEYS}?asc=true`);
  expect(response.statusCode).toBe(200);
  return response.json<{ result: Key[] }>().result.filter((key) => key.algorithm === algorithm);
}

async function current(): Promise<string> {
  return (await keys()).find((key) => key.state === 'STATE_ACTIVE')?.id ?? '';
}

async function published(): Promise<(string | undefined)[]> {
  const { keys: set } = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
  return set.filter(({ alg }) => alg !== 'ES256').map((key) => key.kid);
}

async function rotate(body: unknown = {}): Promise<{ id?: string; affected?: object }> {
  const response = await root.call('POST', `${KEYS}/_rotate`, body);
  expect(response.statusCode).toBe(200);
  return response.json();
}

describe('the keys', () => {
  it('are told with their states and times, and nothing of what they are made of', async () => {
    const response = await viewer.call('GET', KEYS);
    expect(response.json()).toMatchObject({
      details: { totalResult: '3' },
      result: expect.arrayContaining([
        expect.objectContaining({ algorithm: 'RS256', state: 'STATE_ACTIVE' }),
        expect.objectContaining({ algorithm: 'ES256', state: 'STATE_ACTIVE' }),
        expect.objectContaining({ algorithm: 'opaque', state: 'STATE_ACTIVE' }),
      ]) as unknown,
    });
    expect(response.body).not.toMatch(/"(sealed|privateSealed|publicJwk|d|n)"/);
  });

  it('are the business of the instance alone', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    expect((await owner.call('GET', KEYS)).statusCode).toBe(403);
    expect((await owner.call('POST', `${KEYS}/_rotate`, {})).statusCode).toBe(403);
    expect((await viewer.call('POST', `${KEYS}/_rotate`, {})).statusCode).toBe(403);
    expect((await viewer.call('DELETE', `${KEYS}/any`)).statusCode).toBe(403);
    expect((await viewer.call('PUT', `${KEYS}/schedule`, {})).statusCode).toBe(403);
  });

  it('say how many addresses know them', async () => {
    const readers = api.app.get(KeySetReaders);
    const read = async (remoteAddress: string) => {
      await api.app.inject({ url: '/oauth/v2/keys', remoteAddress });
      await readers.write();
    };
    await read('192.0.2.1');
    await read('192.0.2.2');
    await api.advance(60);
    const { id } = await rotate();
    await read('192.0.2.2');
    // the API writes them by itself as well, every ten seconds, and may be about to
    const known = async () => Object.fromEntries((await keys()).map((key) => [key.id, key.readers]));
    await expect.poll(known).toEqual({ [await current()]: 2, [id ?? '']: 1 });
    const { rows } = await api.sql.query(`SELECT * FROM key_set_readers`);
    expect(JSON.stringify(rows)).not.toContain('192.0.2');
  });
});

describe('whom a change of keys touches', () => {
  it('is listed page by page, without an address', async () => {
    const readers = api.app.get(KeySetReaders);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2']) readers.note(address);
    await readers.write();
    const page = async (path: string) =>
      (await viewer.call('GET', path)).json<{ details: object; result: Record<string, string>[] }>();
    const reads = async () => (await page(`${KEYS}/readers`)).result.map((one) => one['reads']).toSorted();
    await expect.poll(reads).toEqual(['1', '2']);
    const all = await page(`${KEYS}/readers`);
    expect(all.details).toMatchObject({ totalResult: '2' });
    for (const { id } of all.result) expect(id).toMatch(/^[A-Za-z0-9_-]{20,}$/);
    const [first, second] = await Promise.all(
      ['0', '1'].map((offset) => page(`${KEYS}/readers?asc=true&limit=1&offset=${offset}`)),
    );
    expect([first?.result[0]?.['id'], second?.result[0]?.['id']]).toEqual(
      all.result.map(({ id }) => id).toReversed(),
    );
  });

  it('are the applications with living grants, and no other', async () => {
    const [living, ended] = await Promise.all([anApplication(world, {}), anApplication(world, {})]);
    const user = await aUser(world);
    for (const client of [living, living, ended]) await obtainTokens(api, client, user);
    await api.sql.query(
      `UPDATE authorizations SET revoked_at = now(), revoke_reason = 'r'
       WHERE application_id = (SELECT id FROM applications WHERE client_id = $1)`,
      [ended.clientId],
    );
    const answer = await viewer.call('GET', `${KEYS}/affected`);
    const { result } = answer.json<{ result: { clientId: string; grants: number }[] }>();
    expect(result.filter(({ clientId }) => [living, ended].some((one) => one.clientId === clientId))).toEqual(
      [expect.objectContaining({ clientId: living.clientId, grants: 2 })],
    );
  });

  it('is the business of the instance alone', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    for (const path of ['readers', 'affected']) {
      expect((await owner.call('GET', `${KEYS}/${path}`)).statusCode).toBe(403);
    }
  });
});

describe('a rotation on demand', () => {
  it('publishes at once, signs after the lead, and is one for two that ask', async () => {
    const before = await current();
    const [one, two] = await Promise.all([rotate(), rotate({ algorithm: 'RS256' })]);
    expect(one).toEqual(two);
    expect(await published()).toEqual([before, one.id]);
    expect(await current()).toBe(before);
    await api.advance(LEAD - 60);
    await api.app.get(RotateKeys).run();
    expect(await current()).toBe(before);
    const early = await root.call('POST', `${KEYS}/${one.id}/_activate`, {});
    expect(early.json()).toEqual(
      errorBody(9, 'The key was not published for its lead time yet', 'COMMAND-kR7s3'),
    );
    await api.advance(60);
    await api.app.get(RotateKeys).run();
    expect(await current()).toBe(one.id);
  });

  it('may be finished by hand when the lead is over, and then twice', async () => {
    const { id } = await rotate();
    await api.advance(LEAD);
    const activate = () => root.call('POST', `${KEYS}/${id}/_activate`, {});
    expect((await activate()).json()).toMatchObject({ details: { sequence: '2' } });
    expect((await activate()).statusCode).toBe(200);
    expect(await current()).toBe(id);
    const unknown = await root.call('POST', `${KEYS}/nobody/_activate`, {});
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json()).toMatchObject({ code: 5, message: 'Key could not be found (COMMAND-teiG3)' });
  });

  it('changes the keys of opaque tokens too', async () => {
    const { id } = await rotate({ algorithm: 'opaque' });
    expect((await keys('opaque')).find((key) => key.id === id)?.state).toBe('STATE_INITIAL');
  });

  it.each([
    [{ algorithm: 'HS256' }, 3],
    [{ algorithm: 'EdDSA' }, 9],
    [{ confirm: true }, 3],
    [{ lead: '0s' }, 3],
  ])('refuses %j', async (body, code) => {
    const response = await root.call('POST', `${KEYS}/_rotate`, body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code });
  });
});

describe('an emergency', () => {
  it('tells whom it touches before anything changes', async () => {
    const before = await keys();
    const { id, affected } = await rotate({ emergency: true });
    expect(id).toBeUndefined();
    expect(affected).toBeDefined();
    expect(await keys()).toEqual(before);
  });

  it('has a key sign at once that nobody has seen, and drops the one that waited', async () => {
    const before = await current();
    const waiting = await rotate();
    const { id } = await rotate({ emergency: true, confirm: true });
    expect(await current()).toBe(id);
    expect(await published()).toEqual([before, id]);
    expect((await keys()).find((key) => key.id === waiting.id)?.state).toBe('STATE_REMOVED');
  });

  it('ends what the old key signed when that is removed, and its place in the key set (S176)', async () => {
    const before = await current();
    expect((await root.call('DELETE', `${KEYS}/${before}`)).json()).toMatchObject({ code: 9 });
    const { id } = await rotate({ emergency: true, confirm: true });
    const remove = () => root.call('DELETE', `${KEYS}/${before}`);
    expect((await remove()).statusCode).toBe(200);
    expect((await remove()).statusCode).toBe(200);
    expect(await published()).toEqual([id]);
    expect(await api.app.get(KeyRing).verifier(before)).toBeUndefined();
    expect((await root.call('DELETE', `${KEYS}/nobody`)).statusCode).toBe(200);
  });
});

it('takes nothing that was signed with a key before its time (S177)', async () => {
  const client = await anApplication(world, { accessTokenType: 'jwt' });
  const { access_token: token } = await obtainTokens(api, client, await aUser(world), { scope: 'openid' });
  expect((await userinfo(api, token)).statusCode).toBe(200);
  const state = (to: string) => api.sql.query(`UPDATE signing_keys SET state = $1 WHERE kid = $2`, [to, kid]);
  const kid = decodeProtectedHeader(token).kid;
  await state('next');
  expect((await userinfo(api, token)).statusCode).toBe(401);
  await state('current');
  expect((await userinfo(api, token)).statusCode).toBe(200);
});

describe('an emergency of all keys (S387)', () => {
  const CHAINS = ['ES256', 'RS256', 'opaque'];
  const active = async () => {
    const found = await Promise.all(CHAINS.map((chain) => keys(chain)));
    return found.map((all) => all.find(({ state }) => state === 'STATE_ACTIVE')?.id);
  };
  const all = async (more: object = {}) => {
    const body = { emergency: true, confirm: true, algorithm: 'all', ...more };
    const response = await root.call('POST', `${KEYS}/_rotate`, body);
    return { status: response.statusCode, ...response.json<AllRotated>() };
  };

  it('replaces those of every algorithm and those of opaque tokens, and what waits', async () => {
    const before = await active();
    await rotate({ algorithm: 'all' });
    const { id, ids } = await all();
    const after = await active();
    expect(ids?.toSorted()).toEqual(after.toSorted());
    expect(id).toBe(after[1]);
    expect(before.filter((one) => after.includes(one))).toEqual([]);
    for (const chain of CHAINS) {
      expect((await keys(chain)).map(({ state }) => state)).toEqual([
        'STATE_INACTIVE',
        'STATE_REMOVED',
        'STATE_ACTIVE',
      ]);
    }
  });

  it('tells whom it touches first', async () => {
    const before = await active();
    expect(await all({ confirm: false })).toMatchObject({ status: 200, affected: {} });
    expect(await active()).toEqual(before);
  });

  it('names those that had theirs within the minute, and is refused where all had', async () => {
    await stopTimeForTest(api.sql);
    const { id: alone } = await rotate({ emergency: true, confirm: true, algorithm: 'RS256' });
    await api.advance(20);
    const { id, ids, skipped } = await all();
    expect(id).toBeUndefined();
    expect(ids).toHaveLength(2);
    const left = { algorithm: 'RS256', reason: 'replaced_just_now', retryAfterSeconds: expect.any(Number) };
    expect(skipped).toEqual([left]);
    expect(skipped?.[0]?.retryAfterSeconds).toBe(40);
    expect((await active())[1]).toBe(alone);
    expect(await all()).toMatchObject({ status: 429 });
  });

  /** As many keys that signed once as leave room for so many. */
  async function fill(room: number): Promise<void> {
    await api.sql.query(
      `INSERT INTO signing_keys (kid, algorithm, state, public_jwk, previous_since, retires_at)
       SELECT 'old-' || n, 'RS256', 'previous', '{}', app_now(), app_now() + interval '40 days'
       FROM generate_series(1, $1) AS n`,
      [98 - room],
    );
  }

  it('replaces what there is room for, and names the rest', async () => {
    await fill(1);
    const before = await active();
    const { status, ids, skipped } = await all();
    expect(status).toBe(200);
    expect(ids).toHaveLength(2);
    const [left] = skipped ?? [];
    expect(skipped).toEqual([{ algorithm: left?.algorithm, reason: 'key_set_full' }]);
    const after = await active();
    const kept = CHAINS.filter((_, n) => before[n] === after[n]);
    expect(kept).toEqual([left?.algorithm]);
    // all that is left to replace has no room
    const refused = await all();
    expect(refused.status).toBe(400);
    expect(refused.message).toContain(`(${kept.join('')}): remove one`);
  });

  it('has an algorithm that does not sign yet lead up anew for as long as it was announced', async () => {
    await stopTimeForTest(api.sql);
    await api.sql.query(`DELETE FROM signing_keys WHERE algorithm = 'ES256'`);
    await api.app.get(EnsureKeys).run();
    const [announced] = await keys('ES256');
    expect(announced?.state).toBe('STATE_INITIAL');
    const signsIn = async () => {
      const { takeovers } = (await viewer.call('GET', `${KEYS}/schedule`)).json<{
        takeovers: { algorithm: string; publishedAt: string; activatesAt: string }[];
      }>();
      const found = takeovers.find(({ algorithm }) => algorithm === 'ES256');
      return Date.parse(found?.activatesAt ?? '') - Date.parse(found?.publishedAt ?? '');
    };
    const before = await signsIn();
    await api.advance(100);
    const { ids, waiting, skipped } = await all();
    expect(skipped).toEqual([]);
    expect(ids).toHaveLength(2);
    expect(waiting).toMatchObject([{ algorithm: 'ES256' }]);
    expect((await keys('ES256')).map(({ id, state }) => [id, state])).toEqual([
      [announced?.id, 'STATE_REMOVED'],
      [waiting?.[0]?.id, 'STATE_INITIAL'],
    ]);
    expect(await signsIn()).toBe(before);
    // nor another one within the minute
    expect(await all()).toMatchObject({ status: 429 });
  });

  it('with its lead, has the next of each published, and asked twice no more', async () => {
    const [one, two] = [await rotate({ algorithm: 'all' }), await rotate({ algorithm: 'all' })];
    expect(one).toEqual(two);
    for (const chain of CHAINS) {
      expect((await keys(chain)).map(({ state }) => state)).toEqual(['STATE_ACTIVE', 'STATE_INITIAL']);
    }
  });
});

describe('S200: emergency rotations in a row', () => {
  const emergency = (headers = {}) =>
    root.call('POST', `${KEYS}/_rotate`, { emergency: true, confirm: true }, { headers });

  it('S200: one a minute; of many at once one succeeds, and the others get Retry-After', async () => {
    const answers = await Promise.all([emergency(), emergency(), emergency()]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 429, 429]);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json()).toMatchObject({ code: 8 });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
    // removing the old key does not buy another one
    const old = (await keys()).find(({ state }) => state === 'STATE_INACTIVE')?.id ?? '';
    expect((await root.call('DELETE', `${KEYS}/${old}`)).statusCode).toBe(200);
    expect((await emergency()).statusCode).toBe(429);
    // the chains are told apart, and looking is free
    await rotate({ emergency: true });
    await rotate({ emergency: true, confirm: true, algorithm: 'opaque' });
    await api.advance(60);
    expect((await emergency()).statusCode).toBe(200);
  });

  it('S200: the same call again is the same answer', async () => {
    const once = { 'idempotency-key': `"${Math.random()}"` };
    const [one, two] = [await emergency(once), await emergency(once)];
    expect(two.json()).toEqual(one.json());
  });

  it('S200: at the bound of the key set it is 400 code 9 with the way out', async () => {
    await api.sql.query(
      `INSERT INTO signing_keys (kid, algorithm, state, public_jwk, previous_since, retires_at)
       SELECT 'old-' || n, 'RS256', 'previous', '{}', app_now(), app_now() + interval '40 days'
       FROM generate_series(1, 98) AS n`,
    );
    for (const body of [{}, { emergency: true, confirm: true }]) {
      const response = await root.call('POST', `${KEYS}/_rotate`, body);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({
        code: 9,
        message: expect.stringContaining('remove one') as unknown,
      });
    }
    expect(await published()).toHaveLength(99);
    expect((await root.call('DELETE', `${KEYS}/old-1`)).statusCode).toBe(200);
    expect((await rotate()).id).toBeDefined();
  });

  it('S200: a schedule that would fill the set is refused', async () => {
    const body = { rotationPeriod: '2400s', leadTime: '1200s' };
    const response = await root.call('PUT', `${KEYS}/schedule`, body);
    expect(response.json()).toMatchObject({ code: 3 });
    expect(response.body).toContain('rotationPeriod');
  });
});

describe('another replica', () => {
  const replica = useReplica(api);

  it('signs with the new key and shows no removed one as soon as it was told, not when its lease is over', async () => {
    // it would not look by itself for an hour
    Object.assign(replica.app.get(KeySettings), { leaseMs: 3_600_000 });
    replica.app.get(KeyRing).forget();
    const old = await current();
    await api.app.get(RotateKeys).run();
    const kidOf = async (at: TestApi) => (await at.app.get(KeyRing).currentSigner()).kid;
    const shown = async () =>
      (await replica.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>().keys.map(({ kid }) => kid);
    await expect.poll(() => kidOf(replica)).toBe(old);
    await expect.poll(shown).toContain(old);
    const emergency = { emergency: true, confirm: true };
    const { id } = (await root.call('POST', `${KEYS}/_rotate`, emergency)).json<{ id: string }>();
    await expect.poll(() => kidOf(replica)).toBe(id);
    expect((await root.call('DELETE', `${KEYS}/${old}`)).statusCode).toBe(200);
    await expect.poll(shown).not.toContain(old);
  });

  it('takes nothing of a removed key from the moment that the removal returns, told or not (S176)', async () => {
    const client = await anApplication(world, { accessTokenType: 'jwt' });
    const announcing = async (verb: 'DISABLE' | 'ENABLE') => {
      for (const table of ['signing_keys', 'token_keys']) {
        await api.sql.query(`ALTER TABLE ${table} ${verb} TRIGGER ${table}_announce`);
      }
    };
    await announcing('DISABLE');
    try {
      const old = await current();
      replica.app.get(KeyRing).forget();
      const tokens = await obtainTokens(replica, client, await aUser(world), { scope: 'openid' });
      const hint = () => replica.app.get(ReadIdTokenHint).read(tokens.id_token);
      for (const token of [tokens.access_token, tokens.id_token]) {
        expect(decodeProtectedHeader(token).kid).toBe(old);
      }
      // it has both keys at hand now
      expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(200);
      expect((await hint()).clientId).toBe(client.clientId);
      await rotate({ emergency: true, confirm: true });
      expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(200);
      expect((await root.call('DELETE', `${KEYS}/${old}`)).statusCode).toBe(200);
      expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(401);
      await expect(hint()).rejects.toMatchObject({ code: 'invalid_request' });
    } finally {
      await announcing('ENABLE');
    }
  });
});

describe('the schedule', () => {
  const put = (body: unknown) => root.call('PUT', `${KEYS}/schedule`, body);

  it('is a row that may be changed', async () => {
    expect((await viewer.call('GET', `${KEYS}/schedule`)).json()).toMatchObject({
      rotationPeriod: `${90 * DAY}s`,
      effectiveRotationPeriod: `${90 * DAY}s`,
      leadTime: `${DAY}s`,
    });
    expect((await put({ rotationPeriod: '2592000s', leadTime: '1200s' })).statusCode).toBe(200);
    expect((await viewer.call('GET', `${KEYS}/schedule`)).json()).toMatchObject({
      rotationPeriod: '2592000s',
      leadTime: '1200s',
    });
    expect((await put({ rotationPeriod: '0s', leadTime: `${DAY}s` })).statusCode).toBe(200);
    expect((await put({ rotationPeriod: `${90 * DAY}s`, leadTime: `${DAY}s` })).statusCode).toBe(200);
  });

  it('says the shortest period that it takes', async () => {
    const { shortestRotationPeriod } = (await viewer.call('GET', `${KEYS}/schedule`)).json<{
      shortestRotationPeriod: string;
    }>();
    const shortest = Number(shortestRotationPeriod.replace('s', ''));
    expect(shortest).toBeGreaterThan(2_400);
    expect((await put({ rotationPeriod: `${shortest - 1}s`, leadTime: '1200s' })).statusCode).toBe(400);
    expect((await put({ rotationPeriod: `${shortest}s`, leadTime: '1200s' })).statusCode).toBe(200);
    expect((await put({ rotationPeriod: `${90 * DAY}s`, leadTime: `${DAY}s` })).statusCode).toBe(200);
  });

  it.each([
    ['no lead', { rotationPeriod: '2592000s' }],
    ['a lead that caches outlast', { rotationPeriod: '2592000s', leadTime: '1199s' }],
    ['a lead longer than a month', { rotationPeriod: '0s', leadTime: '2592001s' }],
    ['a period below two leads', { rotationPeriod: '2399s', leadTime: '1200s' }],
    ['a number', { rotationPeriod: 2_592_000, leadTime: '1200s' }],
  ])('refuses %s', async (_name, body) => {
    const response = await put(body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3 });
  });
});
