import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication, type TestClient } from '../../support/applications.js';
import { basic, requestToken, userinfo, type TokenAnswer } from '../../support/browser-flow.js';
import { call, postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import {
  API_SCOPE,
  aRobot,
  aServiceUser,
  assertionOf,
  byAssertion,
  bySecret,
  robotBasic,
  type Robot,
} from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const GRANT = { grant_type: 'client_credentials', scope: 'openid' };
const audienceScope = (project: string) => `urn:zitadel:iam:org:project:id:${project}:aud`;

/** Its organization is the default one. */
const { api, world } = useWorld();
const elsewhere = given(() => anOrganization(api));
const robot = given(() => aRobot(world));
const jwtRobot = given(() => aRobot(world, { accessTokenType: 'jwt' }));
const web = given(() => anApplication(world));
const post = given(() => anApplication(world, { authMethod: 'client_secret_post' }));

describe('client_credentials', () => {
  it('gives an opaque token that is good at userinfo, and is kept by no cache', async () => {
    const response = await bySecret(api, robot, { scope: 'openid profile' });
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const answer = response.json<TokenAnswer>();
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^at_/) as string,
      token_type: 'Bearer',
      expires_in: 43_200,
      scope: 'openid profile',
    });
    const info = await userinfo(api, answer.access_token);
    expect(info.json()).toEqual({
      sub: robot.userId,
      name: 'Robot',
      preferred_username: `${robot.userName}@${world.domain}`,
      updated_at: expect.any(Number) as number,
    });
  });

  it.each(['opaque', 'jwt'] as const)(
    'lives as long as the organization’s policy says, by either grant: %s',
    async (form) => {
      const place = await anOrganization(api);
      const mine = await aRobot(place, { accessTokenType: form });
      const owner = await aServiceUser(place, 'ORG_OWNER');
      const body = { accessTokenLifetime: '300s', idTokenLifetime: '120s' };
      const set = await owner.call('PUT', 'policies/tokens', body);
      expect(set.statusCode, set.body).toBe(200);
      const byPolicy = (await bySecret(api, mine)).json<TokenAnswer>();
      const byKey = (await byAssertion(api, await assertionOf(mine))).json<TokenAnswer>();
      for (const answer of [byPolicy, byKey]) {
        expect(answer.expires_in).toBe(300);
        if (form === 'opaque') continue;
        const told = decodeJwt(answer.access_token);
        expect(Number(told.exp) - Number(told.iat)).toBe(300);
      }
      const id = decodeJwt(byKey.id_token);
      expect(Number(id.exp) - Number(id.iat)).toBe(120);
      // nobody else's
      expect((await bySecret(api, robot)).json<TokenAnswer>().expires_in).toBe(43_200);
    },
  );

  it('writes nothing', async () => {
    const count = async () => {
      const { rows } = await api.sql.query(
        `SELECT (SELECT count(*) FROM authorizations) AS grants, (SELECT count(*) FROM events) AS events,
                (SELECT max(sequence) FROM users) AS users`,
      );
      return rows;
    };
    const before = await count();
    expect((await bySecret(api, robot)).statusCode).toBe(200);
    expect(await count()).toEqual(before);
  });

  it('gives a JWT to a user whose tokens are JWTs, named by its user name and for itself', async () => {
    const { access_token: token } = (await bySecret(api, jwtRobot)).json<TokenAnswer>();
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    const now = Math.floor(Date.now() / 1000);
    expect(decodeJwt(token)).toEqual({
      iss: 'https://id.test',
      sub: jwtRobot.userId,
      aud: [jwtRobot.userName],
      client_id: jwtRobot.userName,
      scope: 'openid',
      jti: expect.any(String) as string,
      iat: expect.any(Number) as number,
      nbf: expect.any(Number) as number,
      exp: expect.any(Number) as number,
    });
    expect(Math.abs((decodeJwt(token).iat ?? 0) - now)).toBeLessThan(60);
    expect((await userinfo(api, token)).json()).toEqual({ sub: jwtRobot.userId });
  });

  it('is for the projects that the scope names, and then not for itself', async () => {
    const scope = `openid ${audienceScope(world.projectId)}`;
    const { access_token: token } = (await bySecret(api, jwtRobot, { scope })).json<TokenAnswer>();
    expect(decodeJwt(token).aud).toEqual([world.projectId]);
  });

  it.each(['opaque', 'jwt'] as const)('%s: is taken by the APIs with their audience only', async (type) => {
    const caller = type === 'jwt' ? jwtRobot : robot;
    const plain = (await bySecret(api, caller)).json<TokenAnswer>();
    const path = `users/${caller.userId}`;
    expect((await call(api, 'GET', path, { pat: plain.access_token })).statusCode).toBe(401);
    const meant = (await bySecret(api, caller, { scope: `openid ${API_SCOPE}` })).json<TokenAnswer>();
    // who it is, is known; what it may do is another matter
    expect((await call(api, 'GET', path, { pat: meant.access_token })).statusCode).toBe(403);
  });

  it('takes openid where no scope is asked for', async () => {
    const headers = robotBasic(robot, robot.userName);
    const response = await requestToken(api, { grant_type: 'client_credentials' }, headers);
    expect(response.json()).toMatchObject({ scope: 'openid' });
  });

  it('S100: gives neither an ID token nor a refresh token', async () => {
    for (const user of [robot, jwtRobot]) {
      const answer = (await bySecret(api, user, { scope: 'openid offline_access' })).json<TokenAnswer>();
      expect(answer.scope).toBe('openid');
      expect(answer).not.toHaveProperty('id_token');
      expect(answer).not.toHaveProperty('refresh_token');
    }
  });
});

describe('introspection of a service user’s token', () => {
  const introspect = async (token: string, asking: TestClient) =>
    (await postForm(api, '/oauth/v2/introspect', { token }, basic(asking))).json<Record<string, unknown>>();

  it.each(['opaque', 'jwt'] as const)('%s: by an application of a project that it is for', async (type) => {
    const user = type === 'jwt' ? jwtRobot : robot;
    const scope = `openid ${audienceScope(world.projectId)}`;
    const { access_token: token } = (await bySecret(api, user, { scope })).json<TokenAnswer>();
    expect(await introspect(token, web)).toMatchObject({
      active: true,
      client_id: user.userName,
      sub: user.userId,
      username: `${user.userName}@${world.domain}`,
      scope,
      aud: expect.arrayContaining([world.projectId]) as string[],
      token_type: 'Bearer',
    });
    const stranger = await anApplication(elsewhere);
    expect(await introspect(token, stranger)).toEqual({ active: false });
  });

  it.each(['opaque', 'jwt'] as const)('%s: by nobody when it is for itself', async (type) => {
    const user = type === 'jwt' ? jwtRobot : robot;
    const { access_token: token } = (await bySecret(api, user)).json<TokenAnswer>();
    expect(await introspect(token, web)).toEqual({ active: false });
  });
});

describe('scopes (S099, S101)', () => {
  it('gives those that mean something for a service user', async () => {
    const scope = 'openid profile email phone address offline_access';
    expect((await bySecret(api, robot, { scope })).json()).toMatchObject({ scope: 'openid profile' });
  });

  it('takes the organization of the user', async () => {
    const scope = `openid urn:zitadel:iam:org:id:${world.orgId}`;
    expect((await bySecret(api, robot, { scope })).json()).toMatchObject({ scope });
  });

  it.each([
    ['another organization', () => `openid urn:zitadel:iam:org:id:${elsewhere.orgId}`],
    ['a project of another organization', () => `openid ${audienceScope(elsewhere.projectId)}`],
    ['a project that is not there', () => `openid ${audienceScope('999')}`],
    ['an unknown one', () => 'openid everything'],
    ['nothing that could be given', () => 'email'],
    ['characters that no scope has', () => 'openid "'],
    ['a role of the service', () => 'openid IAM_OWNER'],
  ])('refuses %s', async (_name, scope) => {
    expectOAuthError(await bySecret(api, robot, { scope: scope() }), 400, 'invalid_scope');
  });

  it('refuses a project that rests', async () => {
    const scope = `openid ${audienceScope(elsewhere.projectId)}`;
    const foreign = await aRobot(elsewhere);
    const named = robotBasic(foreign, foreign.userName);
    expect((await requestToken(api, { ...GRANT, scope }, named)).statusCode).toBe(200);
    await api.sql.query(`UPDATE projects SET state = 'inactive' WHERE id = $1`, [elsewhere.projectId]);
    expectOAuthError(await requestToken(api, { ...GRANT, scope }, named), 400, 'invalid_scope');
    await api.sql.query(`UPDATE projects SET state = 'active' WHERE id = $1`, [elsewhere.projectId]);
  });
});

describe('who a client_id means', () => {
  it('takes the secret in the body as well', async () => {
    const form = { ...GRANT, client_id: robot.userName, client_secret: robot.secret };
    expect((await requestToken(api, form)).statusCode).toBe(200);
  });

  it('takes the full login name, in any case', async () => {
    for (const name of [`${robot.userName}@${world.domain}`, robot.userName.toUpperCase()]) {
      expect((await requestToken(api, GRANT, robotBasic(robot, name))).statusCode).toBe(200);
    }
  });

  it('means the one whose secret it is, however many others are called so', async () => {
    const userName = `twin-${world.domain}`;
    const here = await aRobot(world, { userName });
    const there = await aRobot(elsewhere, { userName });
    await aUser(await anOrganization(api), { userName });
    for (const twin of [here, there]) {
      const { access_token: token } = (await bySecret(api, twin)).json<TokenAnswer>();
      expect((await userinfo(api, token)).json()).toEqual({ sub: twin.userId });
    }
    const full = (secret: Robot) => robotBasic(secret, `${userName}@${elsewhere.domain}`);
    const { access_token: token } = (await requestToken(api, GRANT, full(there))).json<TokenAnswer>();
    expect((await userinfo(api, token)).json()).toEqual({ sub: there.userId });
    expectOAuthError(await requestToken(api, GRANT, full(here)), 401, 'invalid_client');
  });

  it('is not taken away by somebody who takes the same name in another organization', async () => {
    const there = await aRobot(elsewhere);
    expect((await bySecret(api, there)).statusCode).toBe(200);
    const others = await Promise.all(Array.from({ length: 7 }, () => anOrganization(api)));
    for (const other of [world, ...others]) await aRobot(other, { userName: there.userName });
    expect((await bySecret(api, there)).statusCode).toBe(200);
  });
});

describe('refusals', () => {
  it.each([
    ['a wrong secret', () => robotBasic({ ...robot, secret: 'Marker-wrong' }, robot.userName)],
    ['an empty secret', () => robotBasic({ ...robot, secret: '' }, robot.userName)],
    ['the secret of another', () => robotBasic({ ...robot, secret: jwtRobot.secret }, robot.userName)],
    ['nobody', () => robotBasic(robot, 'nobody')],
    ['a NUL', () => robotBasic(robot, 'a\0b')],
    ['a very long name', () => robotBasic(robot, 'x'.repeat(5_000))],
    ['the user id', () => robotBasic(robot, robot.userId)],
    ['an application with a wrong secret', () => basic({ ...web, clientSecret: 'Marker-wrong' })],
  ])('%s: 401 invalid_client, always the same', async (_name, headers) => {
    const response = await requestToken(api, GRANT, headers());
    expectOAuthError(response, 401, 'invalid_client');
    expect(response.headers['www-authenticate']).toMatch(/^Basic/);
    expect(response.json()).toMatchObject({ error_description: 'client authentication failed' });
  });

  it('no authentication, a name alone, and an assertion', async () => {
    const assertion = {
      client_assertion: 'x',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    for (const form of [{}, { client_id: robot.userName }, { client_id: robot.userName, ...assertion }]) {
      expectOAuthError(await requestToken(api, { ...GRANT, ...form }), 401, 'invalid_client');
    }
  });

  it('a person, whatever they send', async () => {
    const person = await aUser(world);
    const form = { ...GRANT, client_id: person.userName, client_secret: 'Marker-Passw0rd!' };
    expectOAuthError(await requestToken(api, form), 401, 'invalid_client');
  });

  it('two mechanisms at once, and two names', async () => {
    const headers = robotBasic(robot, robot.userName);
    const twice = { ...GRANT, client_id: robot.userName, client_secret: robot.secret };
    expectOAuthError(await requestToken(api, twice, headers), 400, 'invalid_request');
    const mixed = { ...GRANT, client_assertion: 'x' };
    expectOAuthError(await requestToken(api, mixed, headers), 400, 'invalid_request');
    const other = { ...GRANT, client_id: jwtRobot.userName };
    expectOAuthError(await requestToken(api, other, headers), 401, 'invalid_client');
  });

  it('a repeated parameter', async () => {
    const response = await postForm(
      api,
      '/oauth/v2/token',
      'grant_type=client_credentials&scope=openid&scope=profile',
      robotBasic(robot, robot.userName),
    );
    expectOAuthError(response, 400, 'invalid_request');
  });

  it('an application that is who it says: unauthorized_client', async () => {
    expectOAuthError(await requestToken(api, GRANT, basic(web)), 400, 'unauthorized_client');
    const inBody = { ...GRANT, client_id: post.clientId, client_secret: post.clientSecret };
    expectOAuthError(await requestToken(api, inBody), 400, 'unauthorized_client');
  });

  it('a user without a secret, and one who is shut out', async () => {
    const user = await aRobot(world);
    await api.sql.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [user.userId]);
    expectOAuthError(await bySecret(api, user), 401, 'invalid_client');
    await api.sql.query(`UPDATE users SET state = 'active' WHERE id = $1`, [user.userId]);
    expect((await bySecret(api, user)).statusCode).toBe(200);
    await api.sql.query(`UPDATE service_users SET secret_hash = NULL WHERE user_id = $1`, [user.userId]);
    expectOAuthError(await bySecret(api, user), 401, 'invalid_client');
  });

  it('a user of an organization that rests', async () => {
    const third = await anOrganization(api);
    const user = await aRobot(third);
    const { access_token: token } = (await bySecret(api, user)).json<TokenAnswer>();
    expect((await userinfo(api, token)).statusCode).toBe(200);
    await api.sql.query(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [third.orgId]);
    expectOAuthError(await bySecret(api, user), 401, 'invalid_client');
    expect((await userinfo(api, token)).statusCode).toBe(401);
  });
});

describe.each(['opaque', 'jwt'] as const)('a token of a service user (%s) ends', (accessTokenType) => {
  async function obtain(user: Robot): Promise<string> {
    const { access_token: token } = (await bySecret(api, user)).json<TokenAnswer>();
    expect((await userinfo(api, token)).statusCode).toBe(200);
    return token;
  }

  it('when its jti is revoked', async () => {
    const user = await aRobot(world, { accessTokenType: 'jwt' });
    const [token, other] = [await obtain(user), await obtain(user)];
    await api.sql.query(
      `INSERT INTO revoked_tokens (jti, expires_at) VALUES ($1, now() + interval '1 day')`,
      [decodeJwt(token).jti],
    );
    expect((await userinfo(api, token)).statusCode).toBe(401);
    expect((await userinfo(api, other)).statusCode).toBe(200);
  });

  it('at its time', async () => {
    const token = await obtain(await aRobot(world, { accessTokenType }));
    await api.advance(43_201);
    try {
      expect((await userinfo(api, token)).statusCode).toBe(401);
    } finally {
      await api.advance(-43_201);
    }
  });

  it('with the user', async () => {
    const user = await aRobot(world, { accessTokenType });
    const token = await obtain(user);
    await api.sql.query(`DELETE FROM users WHERE id = $1`, [user.userId]);
    expect((await userinfo(api, token)).statusCode).toBe(401);
  });
});
