import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { aReplica, startTestApi } from '../../support/api.js';
import { anApplication, aPublicApplication, type TestClient } from '../../support/applications.js';
import { anAssertingApplication, asserted } from '../../support/assertions.js';
import {
  basic,
  codeRequest,
  obtainTokens,
  pkce,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import {
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
import { machineToken } from './support/machine-tokens.js';
import { TcpProxy } from './support/tcp-proxy.js';

const FOREIGN = 'token was not issued for this client';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const jwtClient = given(() => anApplication(world, { accessTokenType: 'jwt' }));
const post = given(() => anApplication(world, { authMethod: 'client_secret_post' }));
const spa = given(() => aPublicApplication(world));
const asserting = given(() => anAssertingApplication(world));
const user = given(() => aUser(world));

const send = (form: Record<string, string> | string, headers = {}, url = '/oauth/v2/revoke', on = api) =>
  postForm(on, url, form, headers);
const revoke = (token: string, by: TestClient = client) => send({ token }, basic(by));
const status = async (token: string) => (await userinfo(api, token)).statusCode;
const refresh = (token: string, by: TestClient = client) => refreshTokens(api, by, { refresh_token: token });

function expectDone(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBe(200);
  // some libraries parse it, whatever RFC 7009 §2.2 says
  expect(response.body).toBe('{}');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
}

/** Tokens of a client that authenticates in the body. */
async function tokensBy(clientId: string, proof: () => Promise<Record<string, string>>) {
  const { verifier, challenge } = pkce();
  const request = codeRequest({ id: '', clientId, clientSecret: '' }, challenge);
  const code = redirected(await new TestBrowser(api).signIn(request, user)).get('code') ?? '';
  const form = { ...redemption(code), code_verifier: verifier, ...(await proof()) };
  return (await requestToken(api, form)).json<TokenAnswer>();
}

describe('revoking an access token (S124)', () => {
  it.each<[string, () => TestClient]>([
    ['opaque', () => client],
    ['JWT', () => jwtClient],
  ])('%s: ends that one alone', async (_form, given) => {
    const issuedTo = given();
    const tokens = await obtainTokens(api, issuedTo, user);
    const other = (await refresh(tokens.refresh_token, issuedTo)).json<TokenAnswer>();
    expectDone(await revoke(tokens.access_token, issuedTo));
    expect(await status(tokens.access_token)).toBe(401);
    const asked = await send({ token: tokens.access_token }, basic(client), '/oauth/v2/introspect');
    expect(asked.body).toBe('{"active":false}');
    expect(await status(other.access_token)).toBe(200);
    expect((await refresh(other.refresh_token, issuedTo)).statusCode).toBe(200);
  });

  it('is told once by the events, and forgotten with the token', async () => {
    const tokens = await obtainTokens(api, jwtClient, user);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => revoke(tokens.access_token, jwtClient)),
    );
    answers.forEach(expectDone);
    const { jti, exp } = decodeJwt(tokens.access_token);
    const { rows } = await api.sql.query(
      `SELECT org_id, type, sequence::int, data FROM events WHERE aggregate_type = 'access_token' AND aggregate_id = $1`,
      [jti],
    );
    expect(rows).toEqual([
      {
        org_id: world.orgId,
        type: 'access_token.revoked',
        sequence: 1,
        data: { clientId: jwtClient.clientId },
      },
    ]);
    const remembered = await api.sql.query<{ until: number }>(
      `SELECT extract(epoch FROM expires_at)::int AS until FROM revoked_tokens WHERE jti = $1`,
      [jti],
    );
    expect(remembered.rows).toEqual([{ until: exp }]);
  });
});

describe('revoking a refresh token (S124)', () => {
  it.each<[string, () => TestClient]>([
    ['opaque', () => client],
    ['JWT', () => jwtClient],
  ])('ends the %s access tokens of its grant, and no other grant', async (_form, given) => {
    const issuedTo = given();
    const other = await obtainTokens(api, issuedTo, user);
    const tokens = await obtainTokens(api, issuedTo, user);
    const later = (await refresh(tokens.refresh_token, issuedTo)).json<TokenAnswer>();
    expectDone(await revoke(later.refresh_token, issuedTo));
    for (const token of [tokens.access_token, later.access_token]) expect(await status(token)).toBe(401);
    expectOAuthError(await refresh(later.refresh_token, issuedTo), 400, 'invalid_grant');
    expect(await status(other.access_token)).toBe(200);
    expectDone(await revoke(later.refresh_token, issuedTo));
  });

  it('is told once by the events', async () => {
    const tokens = await obtainTokens(api, jwtClient, user);
    const answers = Array.from({ length: 8 }, () => revoke(tokens.refresh_token, jwtClient));
    (await Promise.all(answers)).forEach(expectDone);
    const grantId = decodeJwt(tokens.access_token).jti?.split('.')[0];
    const { rows } = await api.sql.query(
      `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'grant.revoked'`,
      [grantId],
    );
    expect(rows).toEqual([{ data: { reason: 'revoked_by_client' } }]);
  });

  it('one that was exchanged already ends what came of it as well', async () => {
    const tokens = await obtainTokens(api, client, user);
    const later = (await refresh(tokens.refresh_token)).json<TokenAnswer>();
    expectDone(await revoke(tokens.refresh_token));
    expect(await status(later.access_token)).toBe(401);
    expectOAuthError(await refresh(later.refresh_token), 400, 'invalid_grant');
  });

  it('while it is being exchanged leaves nothing alive', async () => {
    const tokens = await obtainTokens(api, client, user);
    const [exchanged, done] = await Promise.all([
      refresh(tokens.refresh_token),
      revoke(tokens.refresh_token),
    ]);
    expectDone(done);
    expect([200, 400]).toContain(exchanged.statusCode);
    if (exchanged.statusCode === 400) return;
    const later = exchanged.json<TokenAnswer>();
    expect(await status(later.access_token)).toBe(401);
    expectOAuthError(await refresh(later.refresh_token), 400, 'invalid_grant');
  });
});

describe('a token that there is none', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['garbage', () => 'Marker-garbage'],
    ['a refresh token of nobody', () => `rt_${'A'.repeat(43)}`],
    ['an opaque token of nobody', () => `at_${'A'.repeat(200)}`],
    ['a personal access token of nobody', () => `pat_${'A'.repeat(43)}`],
    ['a NUL', () => 'a\u0000b'],
    ['an ID token', async () => (await obtainTokens(api, client, user)).id_token],
    ['one that was revoked before', async () => {
      const { access_token: token } = await obtainTokens(api, client, user);
      await revoke(token);
      return token;
    }],
  ])('%s is 200 with an empty object', async (_name, make) => {
    expectDone(await revoke(await make()));
  }); // prettier-ignore

  it('with any hint', async () => {
    for (const hint of ['access_token', 'refresh_token', 'x']) {
      expectDone(await send({ token: 'x', token_type_hint: hint }, basic(client)));
    }
    const tokens = await obtainTokens(api, client, user);
    expectDone(await send({ token: tokens.refresh_token, token_type_hint: 'access_token' }, basic(client)));
    expect(await status(tokens.access_token)).toBe(401);
  });
});

describe('the token of another client (S123, S126)', () => {
  it('is refused, and goes on', async () => {
    const elsewhere = await anOrganization(api);
    const strangers: (readonly [string, () => Promise<LightMyRequestResponse>])[] = [];
    const opaque = await obtainTokens(api, client, user);
    const jwt = await obtainTokens(api, jwtClient, user);
    const service = await aServiceUser(world);
    const tokens = [
      opaque.access_token,
      opaque.refresh_token,
      jwt.access_token,
      jwt.refresh_token,
      service.pat,
    ];
    const neighbour = await anApplication(world);
    const stranger = await anApplication(elsewhere);
    for (const token of tokens) {
      strangers.push(
        ['a neighbour', () => revoke(token, neighbour)],
        ['another organization’s client', () => revoke(token, stranger)],
        ['a public client', () => send({ token, client_id: spa.clientId })],
        ['a client with an assertion', async () => send({ token, ...(await asserted(asserting)) })],
      );
    }
    for (const [who, ask] of strangers) {
      const description = expectOAuthError(await ask(), 401, 'invalid_client');
      expect(description, who).toBe(FOREIGN);
    }
    for (const token of [opaque.access_token, jwt.access_token, service.pat]) {
      expect(await status(token)).toBe(200);
    }
    expect((await refresh(opaque.refresh_token)).statusCode).toBe(200);
    expect((await refresh(jwt.refresh_token, jwtClient)).statusCode).toBe(200);
  });
});

describe('a service user’s own token', () => {
  it('is not a client’s, were the user named like it', async () => {
    const elsewhere = await anOrganization(api);
    const token = await machineToken(api, elsewhere, { form: 'jwt', named: client.clientId });
    expect(expectOAuthError(await revoke(token), 401, 'invalid_client')).toBe(FOREIGN);
  });

  const secretOf = (robot: Robot) => robotBasic(robot, robot.userName);
  const tokenOf = (answer: LightMyRequestResponse) => answer.json<TokenAnswer>().access_token;

  it.each(['opaque', 'jwt'] as const)('ends by its secret, whichever grant it came by: %s', async (form) => {
    const robot = await aRobot(world, { accessTokenType: form });
    const replica = await startTestApi({}, api);
    const [first, kept] = [tokenOf(await bySecret(api, robot)), tokenOf(await bySecret(api, robot))];
    const keyed = tokenOf(await byAssertion(api, await assertionOf(robot)));
    expectDone(await send({ token: first }, secretOf(robot)));
    const body = { client_id: `${robot.userName}@${world.domain}`, client_secret: robot.secret };
    expectDone(await send({ token: keyed, ...body }));
    expectDone(await send({ token: keyed, ...body }));
    for (const dead of [first, keyed]) expect((await userinfo(replica, dead)).statusCode).toBe(401);
    expect((await userinfo(replica, kept)).statusCode).toBe(200);
    await replica.close();
  });

  it('is not another’s, nor is a client’s token its own, nor a secret that is wrong one', async () => {
    const robot = await aRobot(world);
    const elsewhere = await anOrganization(api);
    // the same name in another organization
    const twin = await aRobot(elsewhere, { userName: robot.userName });
    const token = tokenOf(await bySecret(api, robot));
    const by = (name: string, secret: string) => robotBasic({ ...robot, secret }, name);
    const twinName = `${twin.userName}@${elsewhere.domain}`;
    const tokens = await obtainTokens(api, client, user);
    const byTwin = await send({ token }, by(twinName, twin.secret));
    expect(expectOAuthError(byTwin, 401, 'invalid_client')).toBe(FOREIGN);
    for (const foreign of [tokens.access_token, tokens.refresh_token]) {
      const answer = await send({ token: foreign }, by(`${robot.userName}@${world.domain}`, robot.secret));
      expect(expectOAuthError(answer, 401, 'invalid_client')).toBe(FOREIGN);
    }
    const wrong = by(`${robot.userName}@${world.domain}`, twin.secret);
    expectOAuthError(await send({ token }, wrong), 401, 'invalid_client');
    await api.sql.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [robot.userId]);
    expectOAuthError(
      await send({ token }, by(`${robot.userName}@${world.domain}`, robot.secret)),
      401,
      'invalid_client',
    );
    await api.sql.query(`UPDATE users SET state = 'active' WHERE id = $1`, [robot.userId]);
    expect(await status(token)).toBe(200);
    expect(await status(tokens.access_token)).toBe(200);
  });
});

describe('every method of the table', () => {
  it('client_secret_post', async () => {
    const secret = { client_id: post.clientId, client_secret: post.clientSecret };
    const tokens = await tokensBy(post.clientId, () => Promise.resolve(secret));
    expectDone(await send({ token: tokens.access_token, ...secret }));
    expect(await status(tokens.access_token)).toBe(401);
  });

  it('none: a public client revokes its own by its id (S126)', async () => {
    const id = { client_id: spa.clientId };
    const tokens = await tokensBy(spa.clientId, () => Promise.resolve(id));
    expectDone(await send({ token: tokens.refresh_token, ...id }));
    expect(await status(tokens.access_token)).toBe(401);
  });

  it('private_key_jwt', async () => {
    const tokens = await tokensBy(asserting.clientId, () => asserted(asserting));
    expectDone(await send({ token: tokens.access_token, ...(await asserted(asserting)) }));
    expect(await status(tokens.access_token)).toBe(401);
  });

  it('and nobody without one', async () => {
    const { access_token: token } = await obtainTokens(api, client, user);
    for (const ask of [
      () => send({ token }),
      () => send({ token, client_id: client.clientId }),
      () => revoke(token, { ...client, clientSecret: 'x' }),
      () => send({ token, client_id: client.clientId, client_secret: 'x' }),
    ]) {
      expectOAuthError(await ask(), 401, 'invalid_client');
    }
    const both = { token, ...(await asserted(asserting)) };
    expectOAuthError(await send(both, basic(client)), 400, 'invalid_request');
    expect(await status(token)).toBe(200);
  });
});

describe('a request that is no request', () => {
  it('names no token, or two, or one in the query', async () => {
    const { access_token: token } = await obtainTokens(api, client, user);
    expect(expectOAuthError(await send({}, basic(client)), 400, 'invalid_request')).toBe('token missing');
    expectOAuthError(await send(`token=${token}&token=${token}`, basic(client)), 400, 'invalid_request');
    const url = `/oauth/v2/revoke?token=${token}`;
    expectOAuthError(await send({}, basic(client), url), 400, 'invalid_request');
    expect((await api.app.inject({ url, headers: basic(client) })).statusCode).toBe(405);
    expect(await status(token)).toBe(200);
  });
});

describe('a store that is away (S125)', () => {
  it('Postgres: 503, and the token is honestly alive afterwards', async () => {
    const { access_token: token, refresh_token: refreshToken } = await obtainTokens(api, client, user);
    const { proxy, url } = await TcpProxy.before(api.database.url);
    const replica = await startTestApi({ DATABASE_URL: url }, api);
    try {
      const alive = async () =>
        (await send({ token }, basic(client), '/oauth/v2/introspect', replica)).json<{ active: boolean }>();
      expect(await alive()).toMatchObject({ active: true });
      await proxy.close();
      for (const form of [{ token }, { token: refreshToken }]) {
        const response = await send(form, basic(client), '/oauth/v2/revoke', replica);
        expectOAuthError(response, 503, 'temporarily_unavailable');
        expect(response.headers['retry-after']).toBeDefined();
      }
      await proxy.open();
      await expect.poll(alive).toMatchObject({ active: true });
      expectDone(await send({ token }, basic(client), '/oauth/v2/revoke', replica));
      expect(await status(token)).toBe(401);
    } finally {
      await replica.close();
      await proxy.close();
    }
  });

  it('Redis: nothing changes', async () => {
    const replica = await aReplica(api, { REDIS_URL: 'redis://127.0.0.1:1' });
    const { access_token: token } = await obtainTokens(api, client, user);
    expectDone(await send({ token }, basic(client), '/oauth/v2/revoke', replica));
    expect(await status(token)).toBe(401);
  });
});
