import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { RotateKeys } from '../../../src/domain/signing-keys/rotate-keys.js';
import { anApi, useReplica } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { obtainTokens, refreshTokens, type TokenAnswer } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aRobot, aServiceUser, assertionOf, byAssertion, bySecret } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { exchanged, EXCHANGING, subject } from '../oidc/support/exchanges.js';

const PATH = '/admin/v1/settings/oidc';
const CONFIGURED = {
  accessTokenLifetime: '43200s',
  idTokenLifetime: '43200s',
  refreshTokenIdleExpiration: '2592000s',
  refreshTokenExpiration: '7776000s',
};
const SHORT = {
  accessTokenLifetime: '300s',
  idTokenLifetime: '600s',
  refreshTokenIdleExpiration: '1000s',
  refreshTokenExpiration: '1500s',
};

// Two replicas on one database: what one was told holds on the other when its answer is there.

const { api, world } = useWorld();
const replica = useReplica(api);
const owner = given(() => aServiceUser(world, 'IAM_OWNER'));
const viewer = given(() => aServiceUser(world, 'IAM_OWNER_VIEWER'));
afterEach(() => api.sql.query('DELETE FROM oidc_settings'));

const get = async (on = api) => (await viewer.call('GET', PATH, undefined, { on })).json<object>();
const put = async (body: object, pat = owner.pat) => await call(api, 'PUT', PATH, { pat, body });
const seconds = (token: string) => {
  const { exp = 0, iat = 0 } = decodeJwt(token);
  return exp - iat;
};

async function refreshLives(userId: string) {
  const { rows } = await api.sql.query(
    `SELECT round(extract(epoch FROM t.idle_expires_at - t.created_at))::integer AS idle,
            round(extract(epoch FROM f.absolute_expires_at - t.created_at))::integer AS absolute
     FROM refresh_tokens t JOIN refresh_token_families f USING (authorization_id) JOIN authorizations g ON g.id = t.authorization_id
     WHERE g.user_id = $1 ORDER BY t.created_at`,
    [userId],
  );
  return rows;
}

describe('lifetimes of tokens of the instance', () => {
  it('are as configured until an instance owner sets them, one by one', async () => {
    expect(await get()).toEqual({
      details: { sequence: '0', resourceOwner: world.orgId },
      settings: CONFIGURED,
      isDefault: true,
    });
    const set = await put({ accessTokenLifetime: '300s' });
    expect(set.json()).toEqual({
      details: { sequence: '1', changeDate: expect.any(String) as string, resourceOwner: world.orgId },
    });
    expect(await get(replica)).toMatchObject({
      details: { sequence: '1' },
      settings: { ...CONFIGURED, accessTokenLifetime: '300s' },
      isDefault: false,
    });
    await put({});
    expect(await get(replica)).toMatchObject({ settings: CONFIGURED });
    const { rows } = await api.sql.query(
      `SELECT sequence, actor_id, fields, data ->> 'accessTokenSeconds' AS access FROM events
       WHERE type = 'instance.oidc_settings.changed' AND aggregate_id = 'oidc_settings' ORDER BY position`,
    );
    expect(rows).toEqual([
      { sequence: '1', actor_id: owner.userId, fields: ['accessTokenSeconds'], access: '300' },
      { sequence: '2', actor_id: owner.userId, fields: ['accessTokenSeconds'], access: null },
    ]);
  });

  it('hold for what every grant gives from then on, on every replica', async () => {
    const user = await aUser(world);
    const client = await anOwnApplication(world, { accessTokenType: 'jwt', grantTypes: EXCHANGING });
    const robot = await aRobot(world, { accessTokenType: 'jwt' });
    const before = await obtainTokens(replica, client, user, { scope: 'openid offline_access' });
    await put(SHORT);

    const tokens = await obtainTokens(replica, client, user, { scope: 'openid offline_access' });
    expect(tokens.expires_in).toBe(300);
    expect(seconds(tokens.access_token)).toBe(300);
    expect(seconds(tokens.id_token)).toBe(600);
    expect((await refreshTokens(replica, client, before)).json()).toMatchObject({ expires_in: 300 });
    const form = { ...subject(tokens.access_token), scope: 'openid offline_access' };
    expect(await exchanged(replica, client, form)).toMatchObject({ expires_in: 300 });
    expect(await refreshLives(user.userId)).toEqual([
      // what was given before goes on as it was given
      { idle: 2_592_000, absolute: 7_776_000 },
      { idle: 1000, absolute: 1500 },
      { idle: 1000, absolute: expect.any(Number) as number },
      { idle: 1000, absolute: 1500 },
    ]);
    for (const answer of [
      await bySecret(replica, robot),
      await byAssertion(replica, await assertionOf(robot)),
    ]) {
      const { access_token: token, expires_in: told } = answer.json<TokenAnswer>();
      expect([told, seconds(token)]).toEqual([300, 300]);
    }
    expect(seconds(before.access_token)).toBe(43_200);
  });

  it('give way to what an organization has decided, field by field', async () => {
    const orgOwner = await aServiceUser(world, 'ORG_OWNER');
    const policy = async (method: 'GET' | 'PUT' | 'DELETE', body?: object) =>
      (await orgOwner.call(method, 'policies/tokens', body)).json<object>();
    await put(SHORT);
    expect(await policy('GET')).toMatchObject({ policy: SHORT, isDefault: true });
    await policy('PUT', { accessTokenLifetime: '900s' });
    expect(await policy('GET')).toMatchObject({ policy: { ...SHORT, accessTokenLifetime: '900s' } });
    const client = await anApplication(world, { accessTokenType: 'jwt' });
    const tokens = await obtainTokens(replica, client, await aUser(world));
    expect([seconds(tokens.access_token), seconds(tokens.id_token)]).toEqual([900, 600]);
    await policy('DELETE');
  });

  it('of two who set them at once both count, and one holds', async () => {
    const lives = ['300s', '301s', '302s', '303s'];
    const answers = await Promise.all(lives.map((life) => put({ accessTokenLifetime: life })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const { details, settings } = (await get()) as {
      details: { sequence: string };
      settings: { accessTokenLifetime: string };
    };
    expect(details.sequence).toBe('4');
    expect(lives).toContain(settings.accessTokenLifetime);
  });

  it.each<[string, object]>([
    ['accessTokenLifetime', { accessTokenLifetime: '59s' }],
    ['accessTokenLifetime', { accessTokenLifetime: '2592001s' }],
    ['idTokenLifetime', { idTokenLifetime: '2592001s' }],
    ['idTokenLifetime', { idTokenLifetime: 600 }],
    ['idTokenLifetime', { idTokenLifetime: '10m' }],
    ['refreshTokenIdleExpiration', { refreshTokenIdleExpiration: '299s' }],
    ['refreshTokenExpiration', { refreshTokenExpiration: '31536001s' }],
    ['lifetime', { lifetime: '300s' }],
  ])('are refused out of bounds, and nothing changes: %s %j', async (field, body) => {
    const refused = await put({ ...SHORT, ...body });
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ code: 3, message: expect.stringContaining(field) as string });
    expect(await get()).toMatchObject({ isDefault: true });
  });

  it.each<[Role, number, number]>([
    ['IAM_OWNER', 200, 200],
    ['IAM_OWNER_VIEWER', 200, 403],
    ['ORG_OWNER', 403, 403],
  ])('%s: %i to read, %i to write (S217)', async (role, read, write) => {
    const { pat } = await aServiceUser(world, role);
    expect((await call(api, 'GET', PATH, { pat })).statusCode).toBe(read);
    expect((await put(SHORT, pat)).statusCode).toBe(write);
  });
});

describe('a token of the longest life that can be set (S217)', () => {
  it('can be verified to its end, however often keys rotate', async () => {
    const fresh = await anApi();
    const place = await anOrganization(fresh);
    const { pat } = await aServiceUser(place, 'IAM_OWNER');
    const body = { accessTokenLifetime: '2592000s', idTokenLifetime: '2592000s' };
    expect((await call(fresh, 'PUT', PATH, { pat, body })).statusCode).toBe(200);
    const robot = await aRobot(place, { accessTokenType: 'jwt' });
    const { access_token: token } = (await bySecret(fresh, robot)).json<TokenAnswer>();
    expect(seconds(token)).toBe(2_592_000);
    const { kid } = decodeProtectedHeader(token);
    const rotated = await call(fresh, 'POST', '/admin/v1/keys/_rotate', {
      pat,
      body: { algorithm: 'RS256', emergency: true },
    });
    expect(rotated.statusCode, rotated.body).toBe(200);
    const published = async () =>
      (await fresh.app.inject('/oauth/v2/keys'))
        .json<{ keys: { kid: string }[] }>()
        .keys.map((key) => key.kid);
    for (const days of [10, 10, 9.9]) {
      await fresh.advance(days * 86_400);
      await fresh.app.get(RotateKeys).run();
      expect(await published()).toContain(kid);
    }
  });
});

it('POST sets them once, also of two at the same time (protocol §7.1)', async () => {
  const post = async () => (await owner.call('POST', PATH, { accessTokenLifetime: '300s' })).statusCode;
  expect((await Promise.all([post(), post()])).toSorted()).toEqual([200, 409]);
  expect(await get()).toMatchObject({ settings: { accessTokenLifetime: '300s' }, isDefault: false });
  expect(await post()).toBe(409);
});
