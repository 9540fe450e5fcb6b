import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { MaintenanceStore, RetentionSettings } from '../../../src/domain/maintenance/maintenance.store.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { startTestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  anAssertingApplication,
  asserted,
  signAssertion,
  type AssertingClient,
} from '../../support/assertions.js';
import {
  basic,
  obtainTokens,
  refreshTokens,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aRobot, aServiceUser, assertionOf, byAssertion } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, aProject, useWorld, World } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';
import {
  actor,
  allowImpersonation,
  exchange,
  exchanged,
  EXCHANGING,
  introspected,
  subject,
  TYPES,
  type ExchangeAnswer,
} from './support/exchanges.js';

const { api, world } = useWorld();
const other = given(() => anOrganization(api));
const client = given(() => anApplication(world, { grantTypes: EXCHANGING, accessTokenType: 'jwt' }));
const asserting = given(() => anAssertingApplication(world, undefined, { grantTypes: EXCHANGING }));
const neighbour = given(() => anApplication(world, { grantTypes: EXCHANGING }));
const stranger = given(() => anApplication(other, { grantTypes: EXCHANGING }));
const user = given(() => aUser(world));
const target = given(() => aUser(world));
const impersonator = given(() => aServiceUser(world, 'ORG_END_USER_IMPERSONATOR'));
beforeAll(async () => {
  await allowImpersonation(api, user);
});
const jwt = given(() => obtainTokens(api, client, user));
const plain = given(() => anApplication(world));
const opaque = given(() => obtainTokens(api, plain, user));

type Given = () => string | Promise<string>;

/** What is presented under each identifier, and whether the table of docs/token-exchange.md takes it as a subject and as an actor. */
const PRESENTED: readonly [name: string, type: string, given: Given, asSubject: string, asActor: boolean][] =
  [
    ['opaque access token', TYPES.access, () => opaque.access_token, 'alone', true],
    ['JWT access token', TYPES.access, () => jwt.access_token, 'alone', true],
    ['personal access token', TYPES.access, () => impersonator.pat, 'alone', true],
    ['refresh token', TYPES.refresh, () => jwt.refresh_token ?? '', 'never', false],
    ['ID token', TYPES.id, () => jwt.id_token, 'alone', true],
    ['JWT of the client', TYPES.jwt, () => clientsJwt(), 'with an actor', false],
    ['user id', TYPES.userId, () => target.userId, 'with an actor', false],
    ['user id by our name', TYPES.userIdByUs, () => target.userId, 'with an actor', false],
    ['unknown type', 'urn:example:saml', () => opaque.access_token, 'never', false],
  ];
const REQUESTED: readonly [name: string, type: string | undefined, served: boolean][] = [
  ['nothing', undefined, true],
  ['access_token', TYPES.access, true],
  ['jwt', TYPES.jwt, true],
  ['id_token', TYPES.id, true],
  ['refresh_token', TYPES.refresh, false],
  ['user_id', TYPES.userId, false],
  ['unknown', 'urn:example:saml', false],
];

/** ID tokens are for their own client, which the JWT of a client cannot be; each row uses the client that it fits. */
function clientFor(type: string): TestClient {
  return type === TYPES.jwt ? asserting : client;
}

async function clientsJwt(
  changes: Readonly<Record<string, unknown>> = {},
  by: AssertingClient = asserting,
): Promise<string> {
  const claims = { iss: by.clientId, sub: target.userId, jti: undefined, ...changes };
  return await signAssertion(by, 'https://id.test', { claims });
}

async function send(form: Record<string, string>, by: TestClient) {
  if (by !== asserting) return await exchange(api, by, form);
  return await exchange(api, by, { ...form, ...(await asserted(asserting)) }, {});
}

async function claimsTold(by: TestClient, token: string): Promise<Record<string, unknown>> {
  if (by !== asserting) return await introspected(api, by, token);
  return (await postForm(api, '/oauth/v2/introspect', { token, ...(await asserted(asserting)) })).json();
}

describe('the matrix of token types', () => {
  describe.each(PRESENTED)('%s', (_name, type, given, asSubject, asActor) => {
    it.each(REQUESTED)('as subject alone, for %s', async (_requested, requested, served) => {
      const wanted = requested === undefined ? {} : { requested_token_type: requested };
      const response = await send({ ...subject(await given(), type), ...wanted }, clientFor(type));
      if (asSubject !== 'alone' || !served) {
        expectOAuthError(response, 400, 'invalid_request');
        return;
      }
      expectIssued(response.json(), requested);
    });

    it.each(REQUESTED)('as subject with an actor, for %s', async (_requested, requested, served) => {
      // the service user is not acted for: it may act
      const own = type === TYPES.access && (await given()) === impersonator.pat;
      const presented = own ? opaque.access_token : await given();
      const wanted = requested === undefined ? {} : { requested_token_type: requested };
      const form = { ...subject(presented, type), ...actor(impersonator.pat), ...wanted };
      const response = await send(form, clientFor(type));
      if (asSubject === 'never' || !served) {
        expectOAuthError(response, 400, 'invalid_request');
        return;
      }
      const answer = response.json<ExchangeAnswer>();
      expectIssued(answer, requested);
      const token = answer.access_token;
      const told = token.startsWith('at_') ? await claimsTold(clientFor(type), token) : decodeJwt(token);
      expect(told).toMatchObject({
        sub: asSubject === 'alone' ? user.userId : target.userId,
        act: { iss: 'https://id.test', sub: impersonator.userId },
      });
    });

    it('as actor', async () => {
      const { userId } = user;
      // whoever is taken as actor gets as far as the question of their right, which only the service user has
      const response = await send(
        { ...subject(target.userId, TYPES.userId), ...actor(await given(), type) },
        client,
      );
      if (!asActor) {
        expect(expectOAuthError(response, 400, 'invalid_request')).toBe('actor_token_type is not supported');
      } else if ((await given()) === impersonator.pat) {
        expect(response.statusCode).toBe(200);
      } else {
        expect(userId).not.toBe(impersonator.userId);
        expect(expectOAuthError(response, 400, 'invalid_request')).toBe('subject_token invalid');
      }
    });
  });

  function expectIssued(answer: ExchangeAnswer, requested: string = TYPES.access) {
    expect(answer.issued_token_type).toBe(requested);
    expect(answer.scope).toMatch(/^openid/);
    expect(answer.token_type).toBe(requested === TYPES.id ? 'N_A' : 'Bearer');
    if (requested === TYPES.access) expect(answer.access_token).toMatch(/^at_/);
    else {
      const claims = decodeJwt(answer.access_token);
      expect('azp' in claims).toBe(requested === TYPES.id);
      expect('client_id' in claims).toBe(requested === TYPES.jwt);
    }
    // beside an ID token there is no other
    expect('id_token' in answer).toBe(requested !== TYPES.id);
  }
});

describe('the answer', () => {
  it('is what RFC 8693 §2.2.1 says, and the token is good', async () => {
    const response = await exchange(api, client, subject(opaque.access_token));
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json()).toEqual({
      access_token: expect.stringMatching(/^at_/) as string,
      issued_token_type: TYPES.access,
      token_type: 'Bearer',
      expires_in: 43_200,
      scope: opaque.scope,
      id_token: expect.any(String) as string,
      refresh_token: expect.stringMatching(/^rt_/) as string,
    });
    const answer = response.json<ExchangeAnswer>();
    expect((await userinfo(api, answer.access_token)).json()).toMatchObject({ sub: user.userId });
    const told = await introspected(api, client, answer.access_token);
    expect(told).toMatchObject({ active: true, sub: user.userId, client_id: client.clientId, amr: ['pwd'] });
    expect(told).not.toHaveProperty('act');
    expect(told['auth_time']).toBe(decodeJwt(opaque.id_token)['auth_time']);
  });

  it('has an ID token with openid only, and a refresh token with offline_access only', async () => {
    const email = await exchanged(api, client, { ...subject(opaque.access_token), scope: 'email' });
    expect(Object.keys(email).toSorted()).toEqual(
      ['access_token', 'expires_in', 'issued_token_type', 'scope', 'token_type'].toSorted(),
    );
    expect(email.scope).toBe('email');
    const openid = await exchanged(api, client, { ...subject(opaque.access_token), scope: 'openid' });
    expect(openid).toHaveProperty('id_token');
    expect(openid).not.toHaveProperty('refresh_token');
    const withoutRefresh = await anApplication(world, { grantTypes: EXCHANGING.slice(2) });
    const answer = await exchanged(api, withoutRefresh, {
      ...subject(opaque.access_token),
      scope: 'openid offline_access',
    });
    expect(answer).not.toHaveProperty('refresh_token');
  });

  it('has a refresh token that works', async () => {
    const answer = await exchanged(api, client, subject(opaque.access_token));
    const refreshed = await refreshTokens(api, client, answer);
    expect(refreshed.statusCode).toBe(200);
    expect((await userinfo(api, refreshed.json<TokenAnswer>().access_token)).statusCode).toBe(200);
  });

  it.each<[string, () => Promise<[TestClient, Record<string, string>, Record<string, string>]>]>([
    [
      'client_secret_post',
      async () => {
        const by = await anApplication(world, { authMethod: 'client_secret_post', grantTypes: EXCHANGING });
        return [by, { client_id: by.clientId, client_secret: by.clientSecret }, {}];
      },
    ],
    [
      'none',
      async () => {
        const by = await anApplication(world, {
          authMethod: 'none',
          appType: 'user_agent',
          grantTypes: EXCHANGING,
        });
        return [by, { client_id: by.clientId }, {}];
      },
    ],
    ['private_key_jwt', async () => [asserting, await asserted(asserting), {}]],
  ])('is there for %s as well', async (_method, given) => {
    const [by, form, headers] = await given();
    const response = await exchange(api, by, { ...subject(opaque.access_token), ...form }, headers);
    expect(response.statusCode).toBe(200);
  });

  it('is refused to a client that may not exchange', async () => {
    const without = await anApplication(world);
    const response = await exchange(api, without, subject(opaque.access_token));
    expectOAuthError(response, 400, 'unauthorized_client');
  });

  it('is listed by discovery', async () => {
    const discovery = await api.app.inject('/.well-known/openid-configuration');
    expect(discovery.json()).toMatchObject({
      grant_types_supported: expect.arrayContaining([
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ]) as string[],
    });
  });
});

describe('scope and audience', () => {
  it.each(['openid phone', 'openid urn:zitadel:iam:org:project:id:zitadel:aud', 'unknown'])(
    'scope %s is more than the subject has (S104)',
    async (scope) => {
      const response = await exchange(api, client, { ...subject(opaque.access_token), scope });
      expectOAuthError(response, 400, 'invalid_scope');
    },
  );

  it.each(['openid "', 'openid\u0000', ' '])('scope %j is malformed', async (scope) => {
    const response = await exchange(api, client, { ...subject(opaque.access_token), scope });
    expectOAuthError(response, 400, 'invalid_scope');
  });

  it('the actor’s scopes may be asked for as well, and those of whom only an id is given', async () => {
    const narrow = await exchanged(api, client, { ...subject(opaque.access_token), scope: 'openid' });
    const form = { ...subject(narrow.access_token), ...actor(impersonator.pat) };
    expect((await exchanged(api, client, { ...form, scope: 'openid profile' })).scope).toBe('openid profile');
    expectOAuthError(await exchange(api, client, { ...form, scope: 'openid email' }), 400, 'invalid_scope');
    const byId = { ...subject(target.userId, TYPES.userId), ...actor(impersonator.pat) };
    expect((await exchanged(api, client, byId)).scope).toBe('openid profile');
    expect((await exchanged(api, client, { ...byId, scope: 'openid email' })).scope).toBe('openid email');
    const beyond = 'urn:zitadel:iam:org:project:id:zitadel:aud';
    expectOAuthError(await exchange(api, client, { ...byId, scope: beyond }), 400, 'invalid_scope');
  });

  it('audience may be named, repeatedly, and is then all that the token is for', async () => {
    const both = { ...subject(opaque.access_token), audience: [client.clientId, neighbour.clientId] };
    const answer = await exchanged(api, client, both);
    expect((await introspected(api, neighbour, answer.access_token))['aud']).toEqual(both.audience);
    const one = await exchanged(api, client, {
      ...subject(opaque.access_token),
      audience: client.clientId,
      requested_token_type: TYPES.jwt,
    });
    expect(decodeJwt(one.access_token).aud).toEqual([client.clientId]);
    expect(await introspected(api, neighbour, one.access_token)).toEqual({ active: false });
    expect(await introspected(api, client, one.access_token)).toMatchObject({ active: true });
    // and what it is not for cannot be had from it again
    const again = { ...subject(one.access_token), audience: neighbour.clientId };
    expectOAuthError(await exchange(api, client, again), 400, 'invalid_target');
  });

  it('audience elsewhere is refused, and a hundred of them (S105)', async () => {
    for (const audience of [
      stranger.clientId,
      other.projectId,
      [client.clientId, 'x'],
      Array.from({ length: 100 }, (_, number) => `${number}`),
    ]) {
      const response = await exchange(api, client, { ...subject(opaque.access_token), audience });
      expectOAuthError(response, 400, 'invalid_target');
    }
  });

  it('resource is not supported', async () => {
    const form = { ...subject(opaque.access_token), resource: 'https://api.test' };
    const description = expectOAuthError(await exchange(api, client, form), 400, 'invalid_target');
    expect(description).toBe('resource parameter not supported');
  });

  it.each(['scope', 'subject_token', 'requested_token_type', 'actor_token', 'grant_type'])(
    'nothing but audience may be repeated: %s',
    async (name) => {
      const form = { ...subject(opaque.access_token), [name]: ['a', 'a'] };
      expectOAuthError(await exchange(api, client, form), 400, 'invalid_request');
    },
  );

  it.each(['subject_token', 'subject_token_type'])('%s is missed by name', async (name) => {
    const form = { ...subject(opaque.access_token), [name]: '' };
    const description = expectOAuthError(await exchange(api, client, form), 400, 'invalid_request');
    expect(description).toBe(`${name} missing`);
  });

  it('actor_token and its type come together (S106)', async () => {
    for (const [missing, form] of [
      ['actor_token_type', { actor_token: impersonator.pat }],
      ['actor_token', { actor_token_type: TYPES.access }],
    ] as const) {
      const response = await exchange(api, client, { ...subject(opaque.access_token), ...form });
      expect(expectOAuthError(response, 400, 'invalid_request')).toContain(`${missing} missing`);
    }
  });
});

describe('a subject token', () => {
  async function expectRefused(by: TestClient, token: string, type: string = TYPES.access) {
    const description = expectOAuthError(
      await exchange(api, by, subject(token, type)),
      400,
      'invalid_request',
    );
    expect(description).toBe('subject_token invalid');
  }

  it('issued to another client and for others is refused (S103)', async () => {
    await expectRefused(stranger, opaque.access_token);
    await expectRefused(stranger, jwt.access_token);
    await expectRefused(stranger, impersonator.pat);
  });

  it('issued to another client and addressed to this one is taken', async () => {
    expect((await exchange(api, neighbour, subject(opaque.access_token))).statusCode).toBe(200);
  });

  it('is not of somebody whom the project keeps from signing in to the client (S406)', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const projectId = await aProject(world, { projectRoleCheck: true });
    const guarded = await anApplication(new World(api, world.orgId, world.domain, projectId), {
      grantTypes: EXCHANGING,
    });
    const scope = `openid urn:zitadel:iam:org:project:id:${projectId}:aud`;
    const tokens = await obtainTokens(api, plain, user, { scope });
    await expectRefused(guarded, tokens.access_token);
    // nor of whom somebody acts for
    const acted = { ...subject(user.userId, TYPES.userId), ...actor(impersonator.pat) };
    expectOAuthError(await exchange(api, guarded, acted), 400, 'invalid_request');
    await owner.call('POST', `projects/${projectId}/roles`, { roleKey: 'reader', displayName: 'Reader' });
    await owner.call('POST', `users/${user.userId}/grants`, { projectId, roleKeys: ['reader'] });
    expect((await exchange(api, guarded, subject(tokens.access_token))).statusCode).toBe(200);
  });

  it('is not of somebody of an organization that the project is not for (S406)', async () => {
    const projectId = await aProject(world, { hasProjectCheck: true });
    const guarded = await anApplication(new World(api, world.orgId, world.domain, projectId), {
      grantTypes: EXCHANGING,
    });
    const scope = `openid urn:zitadel:iam:org:project:id:${projectId}:aud`;
    const foreign = await obtainTokens(api, plain, await aUser(other), { scope });
    await expectRefused(guarded, foreign.access_token);
    const own = await obtainTokens(api, plain, user, { scope });
    expect((await exchange(api, guarded, subject(own.access_token))).statusCode).toBe(200);
  });

  it('that is the ID token of another client is refused, and an ID token is no Bearer (S111)', async () => {
    await expectRefused(neighbour, jwt.id_token, TYPES.id);
    const answer = await exchanged(api, client, {
      ...subject(jwt.id_token, TYPES.id),
      requested_token_type: TYPES.id,
    });
    for (const token of [jwt.id_token, answer.access_token]) {
      expect((await userinfo(api, token)).statusCode).toBe(401);
      expect(await introspected(api, client, token)).toEqual({ active: false });
    }
  });

  it('under the name of another type is refused', async () => {
    await expectRefused(client, jwt.id_token);
    await expectRefused(client, jwt.access_token, TYPES.id);
    await expectRefused(client, jwt.refresh_token ?? '');
    await expectRefused(client, 'x'.repeat(30_000));
    await expectRefused(client, 'x'.repeat(30_000), TYPES.id);
  });

  it('of a service user is not for the client that is called like it (S377)', async () => {
    const userName = `shop-${randomToken(6).toLowerCase()}`;
    const robot = await aRobot(other, { accessTokenType: 'jwt', userName });
    const answer = (await byAssertion(api, await assertionOf(robot))).json<TokenAnswer>();
    const shop = await anApplication(world, { grantTypes: EXCHANGING });
    // it comes along with an import while the token lives
    await api.sql.query('UPDATE applications SET client_id = $2 WHERE id = $1', [shop.id, userName]);
    const named = { ...shop, clientId: userName };
    await expectRefused(named, answer.access_token);
    await expectRefused(named, answer.id_token, TYPES.id);
  });

  it('of a client’s own making is taken from its maker alone (S114)', async () => {
    const second = await anAssertingApplication(world, undefined, { grantTypes: EXCHANGING });
    const now = Math.floor(Date.now() / 1000);
    const good = await clientsJwt();
    for (const [token, by] of [
      [good, second],
      [await clientsJwt({ aud: 'https://elsewhere.test' }), asserting],
      [await clientsJwt({ aud: ['https://id.test', 'https://elsewhere.test'] }), asserting],
      [await clientsJwt({ iss: second.clientId }), asserting],
      [await clientsJwt({ iss: asserting.clientId }, second), asserting],
      [await clientsJwt({ exp: now - 1 }), asserting],
      [await clientsJwt({ exp: undefined }), asserting],
      [await clientsJwt({ sub: undefined }), asserting],
      [await clientsJwt({ sub: 'nobody' }), asserting],
    ] as const) {
      const form = { ...subject(token, TYPES.jwt), ...actor(impersonator.pat), ...(await asserted(by)) };
      const description = expectOAuthError(await exchange(api, by, form, {}), 400, 'invalid_request');
      expect(description).toBe('subject_token invalid');
    }
    const form = { ...subject(good, TYPES.jwt), ...actor(impersonator.pat), ...(await asserted(asserting)) };
    expect((await exchange(api, asserting, form, {})).statusCode).toBe(200);
    // signed by the only key, which need not be named
    const nameless = await clientsJwt({}, { ...asserting, keyId: '' });
    const again = { ...form, ...subject(nameless, TYPES.jwt), ...(await asserted(asserting)) };
    expect((await exchange(api, asserting, again, {})).statusCode).toBe(200);
  });
});

describe('what an exchange gave', () => {
  const shape = (token: string) => (token.startsWith('at_') ? 'opaque' : 'jwt');
  const renew = async (token: string, by: TestClient) =>
    (await refreshTokens(api, by, { refresh_token: token })).json<TokenAnswer>();
  const revoke = async (token: string, by: TestClient) =>
    await postForm(api, '/oauth/v2/revoke', { token }, basic(by));

  it('keeps the type that was asked for when it is refreshed, whatever the application’s own', async () => {
    for (const [by, type, expected] of [
      [client, TYPES.access, 'opaque'],
      [neighbour, TYPES.jwt, 'jwt'],
    ] as const) {
      const given = await obtainTokens(api, by, user);
      const form = { ...subject(given.access_token), requested_token_type: type };
      const first = await exchanged(api, by, form);
      expect(shape(first.access_token)).toBe(expected);
      const second = await renew(first.refresh_token, by);
      expect(shape(second.access_token)).toBe(expected);
      // a retry within the grace window as well
      expect(shape((await renew(first.refresh_token, by)).access_token)).toBe(expected);
      // and a grant without an exchange goes by the application
      expect(shape((await renew(given.refresh_token, by)).access_token)).toBe(
        expected === 'jwt' ? 'opaque' : 'jwt',
      );
    }
  });

  it('ends with the very token that was exchanged, down the chain, on every replica, and stays so', async () => {
    const replica = await startTestApi({}, api);
    const given = await obtainTokens(api, client, user);
    const spared = await renew(given.refresh_token, client);
    const child = await exchanged(api, client, subject(given.access_token));
    const grandchild = await exchanged(api, client, {
      ...subject(child.access_token),
      requested_token_type: TYPES.jwt,
    });
    const sibling = await exchanged(api, client, subject(spared.access_token));
    const all = [child, grandchild];
    for (const { access_token: token } of all)
      expect((await introspected(api, client, token))['active']).toBe(true);
    expect((await revoke(given.access_token, client)).statusCode).toBe(200);
    for (const { access_token: token, refresh_token: renewable } of all) {
      expect((await introspected(replica, client, token))['active']).toBe(false);
      expect(await renew(renewable, client)).toMatchObject({ error: 'invalid_grant' });
    }
    for (const { access_token: token } of [spared, sibling]) {
      expect((await introspected(replica, client, token))['active']).toBe(true);
    }
    // long after the token itself is forgotten
    await api.advance(3 * 86_400);
    await api.app.get(MaintenanceStore).removeExpired(1000, api.app.get(RetentionSettings));
    expect(await renew(child.refresh_token, client)).toMatchObject({ error: 'invalid_grant' });
    expect(await renew(sibling.refresh_token, client)).toMatchObject({ token_type: 'Bearer' });
    await replica.close();
  });
});

describe('a token that has ended', () => {
  it('is no subject: expired, revoked, signed out', async () => {
    const revoked = await obtainTokens(api, client, user);
    await postForm(api, '/oauth/v2/revoke', { token: revoked.refresh_token ?? '' }, basic(client));
    for (const form of [subject(revoked.access_token), subject(revoked.id_token, TYPES.id)]) {
      expectOAuthError(await exchange(api, client, form), 400, 'invalid_request');
    }
    const ended = await obtainTokens(api, client, user, { scope: 'openid' });
    expect((await exchange(api, client, subject(ended.id_token, TYPES.id))).statusCode).toBe(200);
    await api.sql.query(
      `UPDATE sessions SET ended_at = app_now(), end_reason = 'signed_out' WHERE user_id = $1`,
      [user.userId],
    );
    for (const form of [subject(ended.access_token), subject(ended.id_token, TYPES.id)]) {
      expectOAuthError(await exchange(api, client, form), 400, 'invalid_request');
    }
    const late = await obtainTokens(api, client, user);
    await api.advance(43_201);
    for (const form of [subject(late.access_token), subject(late.id_token, TYPES.id)]) {
      expectOAuthError(await exchange(api, client, form), 400, 'invalid_request');
    }
  });
});
