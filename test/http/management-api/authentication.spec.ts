import { describe, expect, it } from 'vitest';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const INVALID = errorBody(16, 'Errors.Token.Invalid', 'AUTH-7fs1e');
const API_SCOPE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

async function countUsers(): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>('SELECT count(*)::int AS count FROM users');
  return rows[0]?.count ?? 0;
}

describe('a caller who is not authenticated', () => {
  it('is told that the header is missing', async () => {
    const response = await call(api, 'POST', 'users/human/_import', { body: record() });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toEqual({ code: 16, message: 'auth header missing' });
    expect(response.headers['www-authenticate']).toBe('auth header missing');
  });

  it.each([
    ['Basic', 'Basic dTpw'],
    ['no scheme', 'pat_something'],
    ['an empty token', 'Bearer '],
    ['two spaces', 'Bearer  pat_something'],
    ['two tokens', 'Bearer pat_something pat_other'],
    ['a list', 'Bearer pat_something, Bearer pat_other'],
  ])('is told that the header is invalid: %s', async (_, authorization) => {
    const response = await call(api, 'POST', 'users/human/_import', { headers: { authorization } });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toEqual(errorBody(16, 'invalid auth header', 'AUTH-toLo1'));
    expect(response.headers['www-authenticate']).toBe('invalid auth header (AUTH-toLo1)');
  });

  it.each([
    ['nonsense', () => 'nonsense'],
    ['an unknown personal access token', () => `pat_${'A'.repeat(43)}`],
    ['another case', () => owner.pat.replace('pat_', 'PAT_')],
    ['another case of its letters', () => `pat_${swapCase(owner.pat.slice(4))}`],
    ['a token cut short', () => owner.pat.slice(0, -1)],
    ['a token with something behind it', () => `${owner.pat}A`],
    ['a forged opaque token', () => `at_${'A'.repeat(120)}`],
    ['an unsigned JWT', () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
    ['a very long token', () => `pat_${'A'.repeat(7_000)}`],
  ])('is told that the token is invalid: %s', async (_, token) => {
    const response = await importHuman(api, token(), record());
    expect(response.statusCode).toBe(401);
    expect(response.json()).toEqual(INVALID);
    expect(response.headers['www-authenticate']).toBe('Errors.Token.Invalid (AUTH-7fs1e)');
  });

  it('is refused with a token in the query, in a cookie or in the body', async () => {
    for (const path of [`users/1?access_token=${owner.pat}`, `users/1?token=${owner.pat}`]) {
      expect((await call(api, 'GET', path)).statusCode).toBe(401);
    }
    const cookie = await call(api, 'GET', 'users/1', { headers: { cookie: `access_token=${owner.pat}` } });
    expect(cookie.statusCode).toBe(401);
    const body = await call(api, 'POST', 'users/human/_import', { body: { access_token: owner.pat } });
    expect(body.statusCode).toBe(401);
  });

  it('learns nothing about the body, however bad it is', async () => {
    const before = await countUsers();
    const bodies: [string, string][] = [
      ['{', 'application/json'],
      ['{"__proto__":{}}', 'application/json'],
      ['userName=ada', 'application/x-www-form-urlencoded'],
      ['<user/>', 'application/xml'],
      [`{"userName":"${'x'.repeat(5 * 1024 * 1024)}"}`, 'application/json'],
    ];
    for (const [body, type] of bodies) {
      const response = await call(api, 'POST', 'users/human/_import', {
        body,
        headers: { 'content-type': type },
      });
      expect(response.statusCode, type).toBe(401);
    }
    expect(await countUsers()).toBe(before);
  });
});

function swapCase(text: string): string {
  return Array.from(text, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  ).join('');
}

describe('a personal access token', () => {
  it('stops working when it is revoked, when it expires, and when its owner is deactivated (S154)', async () => {
    const read = (caller: ServiceUser) => caller.call('GET', `users/${owner.userId}`);
    const [revoked, expired, deactivated] = await Promise.all(
      [1, 2, 3].map(() => aServiceUser(world, 'ORG_OWNER')),
    );
    for (const caller of [revoked!, expired!, deactivated!])
      expect((await read(caller)).statusCode).toBe(200);
    await api.sql.query(`UPDATE personal_access_tokens SET revoked_at = now() WHERE user_id = $1`, [
      revoked!.userId,
    ]);
    await api.sql.query(`UPDATE personal_access_tokens SET expires_at = now() WHERE user_id = $1`, [
      expired!.userId,
    ]);
    await owner.call('POST', `users/${deactivated!.userId}/_deactivate`);
    for (const caller of [revoked!, expired!, deactivated!]) {
      const response = await read(caller);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toEqual(INVALID);
    }
  });

  it('is understood with the scheme in any case', async () => {
    const response = await call(api, 'GET', `users/${owner.userId}`, {
      headers: { authorization: `bearer ${owner.pat}` },
    });
    expect(response.statusCode).toBe(200);
  });
});

describe('an access token', () => {
  it.each(['opaque', 'jwt'] as const)('needs the audience of this service (%s)', async (accessTokenType) => {
    const elsewhere = await anOrganization(api);
    const client = await anOwnApplication(elsewhere, { accessTokenType });
    const user = await aUser(elsewhere);
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
      [user.userId, user.orgId],
    );
    const read = (token: string) => call(api, 'GET', `users/${user.userId}`, { pat: token });
    const { access_token: without } = await obtainTokens(api, client, user, { scope: 'openid profile' });
    const refused = await read(without);
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toEqual(INVALID);
    const { access_token: meant } = await obtainTokens(api, client, user, { scope: API_SCOPE });
    expect((await read(meant)).statusCode).toBe(200);
  });

  it('does not reach the API by an application of somebody else', async () => {
    const [own, others] = [await anOrganization(api), await anOrganization(api)];
    const [client, user] = [await anApplication(others), await aUser(own)];
    const asked = await new TestBrowser(api).get(authorizeUrl(codeRequest(client, { scope: API_SCOPE })));
    expect(redirected(asked).get('error')).toBe('invalid_scope');
    const { access_token: token } = await obtainTokens(api, client, user);
    expect((await call(api, 'GET', `users/${user.userId}`, { pat: token })).json()).toEqual(INVALID);
  });

  it('is no ID token and no refresh token', async () => {
    const client = await anOwnApplication(world);
    const user = await aUser(world);
    const tokens = await obtainTokens(api, client, user, { scope: `${API_SCOPE} offline_access` });
    for (const token of [tokens.id_token, tokens.refresh_token]) {
      expect((await call(api, 'GET', `users/${user.userId}`, { pat: token })).json()).toEqual(INVALID);
    }
  });

  it('is taken from scripts of its own client only', async () => {
    const client = await anOwnApplication(world, { additionalOrigins: ['https://app.test'] });
    const user = await aUser(world);
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
      [user.userId, user.orgId],
    );
    await anApplication(world, { additionalOrigins: ['https://other.test'] });
    const { access_token: token } = await obtainTokens(api, client, user, { scope: API_SCOPE });
    const from = async (origin: string, pat: string) =>
      (await call(api, 'GET', `users/${user.userId}`, { pat, headers: { origin } })).statusCode;
    expect(await from('https://app.test', token)).toBe(200);
    expect(await from('https://rp.test', token)).toBe(200);
    expect(await from(api.config.issuer.url, token)).toBe(200);
    for (const origin of [
      'https://other.test',
      'https://evil.test',
      'null',
      'http://rp.test',
      'https://rp.test.evil.test',
      'https://app.test:8443',
    ]) {
      const response = await call(api, 'GET', `users/${user.userId}`, { pat: token, headers: { origin } });
      expect(response.statusCode, origin).toBe(403);
      expect(response.json()).toEqual(errorBody(7, 'Errors.OriginNotAllowed', 'AUTH-DZG21'));
    }
    expect(await from('https://app.test', owner.pat)).toBe(403);
  });
});

describe('an authenticated caller', () => {
  it.each([
    ['malformed JSON', '{"userName":', 'application/json'],
    ['no UTF-8', '\u00ff\u00fe', 'application/json; charset=latin1'],
    ['a prototype', '{"userName":"x","__proto__":{"isAdmin":true}}', 'application/json'],
    ['a constructor with a prototype', '{"constructor":{"prototype":{"a":1}}}', 'application/json'],
    ['a list', '[]', 'application/json'],
    ['a text', '"ada"', 'application/json'],
    ['null', 'null', 'application/json'],
    ['nesting 10,000 deep', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'application/json'],
    ['nothing', '', 'application/json'],
  ])('is refused a body that is %s', async (_, body, type) => {
    const before = await countUsers();
    const response = await importHuman(api, owner.pat, body, { 'content-type': type });
    expect([400, 415]).toContain(response.statusCode);
    expect(response.json()).toMatchObject({ code: 3 });
    expect(response.json()).not.toHaveProperty('details');
    expect(await countUsers()).toBe(before);
  });

  it('is refused 100,000 keys at once, by naming a few', async () => {
    const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
    const response = await importHuman(api, owner.pat, body);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message.length).toBeLessThan(400);
  });

  it('is refused other content types with 415', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/json; charset=utf-16',
    ]) {
      const response = await importHuman(api, owner.pat, 'userName=ada', { 'content-type': type });
      expect(response.statusCode, type).toBe(415);
      expect(response.json()).toMatchObject({ code: 3 });
    }
    const compressed = await importHuman(api, owner.pat, '{}', { 'content-encoding': 'gzip' });
    expect(compressed.statusCode).toBe(415);
  });

  it('is refused more than 4 MiB with 413', async () => {
    const response = await importHuman(api, owner.pat, { userName: 'x'.repeat(5 * 1024 * 1024) });
    expect(response.statusCode).toBe(413);
    expect(response.json()).toEqual({ code: 8, message: 'the body is too large, at most 4 MiB' });
  });

  it('S369 is refused more than 300,000 values with 413, whatever they are', async () => {
    for (const values of [
      Array.from({ length: 300_000 }, () => 0),
      Array.from({ length: 150_000 }, () => []),
    ]) {
      const body = { userName: 'ada', profile: [values, values.slice(0, 150_000)] };
      const response = await importHuman(api, owner.pat, body);
      expect(response.statusCode).toBe(413);
      expect(response.json()).toEqual({
        code: 8,
        message: 'the body has too many values, at most 300000',
      });
    }
    const fewer = await importHuman(api, owner.pat, { userName: Array.from({ length: 299_000 }, () => 0) });
    expect(fewer.statusCode).toBe(400);
  });

  it('gets answers that no cache may keep, good and bad', async () => {
    const good = await importHuman(api, owner.pat, record());
    const bad = await importHuman(api, owner.pat, {});
    expect(good.statusCode).toBe(200);
    expect(bad.statusCode).toBe(400);
    for (const response of [good, bad]) {
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.headers['pragma']).toBe('no-cache');
      expect(response.headers['content-type']).toContain('application/json');
      expect(response.headers['expires']).toBeDefined();
    }
  });

  it('is told of unknown paths and wrong methods', async () => {
    const unknown = await owner.call('GET', 'nowhere');
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json()).toEqual({ code: 5, message: 'Not Found' });
    const wrong = await owner.call('PUT', 'users/human/_import', {});
    expect(wrong.statusCode).toBe(405);
    expect(wrong.json()).toEqual({ code: 12, message: 'Method Not Allowed' });
  });

  it.each([
    '/management;x/v1/users/human/_import',
    '//management/v1/users/human/_import',
    '/auth/v1/../../management/v1/users/human/_import',
    '/MANAGEMENT/v1/users/human/_import',
    '/management/v1/users/human/_import.',
    '/%6Danagement/v1/users/human/_import',
  ])('does not get around the guard by %s', async (path) => {
    const response = await call(api, 'POST', path, { body: record() });
    expect([401, 404]).toContain(response.statusCode);
  });
});

it('answers an unforeseen fault with a reference and nothing else', async () => {
  await api.sql.query('ALTER TABLE memberships RENAME TO memberships_gone');
  try {
    const response = await importHuman(api, owner.pat, record());
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({
      code: 13,
      message: expect.stringMatching(/^internal error \(ref [0-9a-f-]{36}\)$/) as string,
    });
    expect(response.body).not.toMatch(/memberships|relation|\.ts|node_modules/);
  } finally {
    await api.sql.query('ALTER TABLE memberships_gone RENAME TO memberships');
  }
});
