import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { randomToken } from '../../../src/domain/shared/random.js';
import { anApplication } from '../../support/applications.js';
import { basic, requestToken, userinfo, type TokenAnswer } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import {
  aRobot,
  aServiceUser,
  assertionOf,
  byAssertion,
  bySecret,
  JWT_BEARER,
  type AssertionParts,
  type Robot,
} from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const { api, world } = useWorld();
const elsewhere = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const robot = given(() => aRobot(world));
const other = given(() => aRobot(world));
const foreign = given(() => aRobot(elsewhere));

const now = () => Math.floor(Date.now() / 1000);

/** As clients and projects are called that an import brought along. */
async function nameClient(name: string): Promise<void> {
  const { id } = await anApplication(elsewhere);
  await api.sql.query('UPDATE applications SET client_id = $2 WHERE id = $1', [id, name]);
}

async function nameProject(name: string): Promise<void> {
  await api.sql.query('INSERT INTO projects (id, org_id, name) VALUES ($1, $2, $1)', [name, elsewhere.orgId]);
}

async function expectRefused(parts: AssertionParts, who: Robot = robot): Promise<void> {
  const response = await byAssertion(api, await assertionOf(who, parts));
  expectOAuthError(response, 400, 'invalid_grant');
  expect(response.json()).toMatchObject({
    error_description: 'assertion is invalid, expired or was used before',
  });
}

describe('the JWT profile grant', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('takes an assertion signed with %s', async (alg) => {
    const user = await aRobot(world, { alg });
    const response = await byAssertion(api, await assertionOf(user), { scope: 'openid profile' });
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const answer = response.json<TokenAnswer>();
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^at_/) as string,
      token_type: 'Bearer',
      expires_in: 43_200,
      scope: 'openid profile',
      id_token: expect.any(String) as string,
    });
    expect((await userinfo(api, answer.access_token)).json()).toMatchObject({
      sub: user.userId,
      name: 'Robot',
    });
  });

  it('gives an ID token of the service user, with what is known of its authentication', async () => {
    const { id_token: token } = (await byAssertion(api, await assertionOf(robot))).json<TokenAnswer>();
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    const claims = decodeJwt(token);
    expect(claims).toEqual({
      iss: 'https://id.test',
      sub: robot.userId,
      aud: [robot.userName],
      azp: robot.userName,
      jti: expect.any(String) as string,
      exp: expect.any(Number) as number,
      iat: expect.any(Number) as number,
      auth_time: expect.any(Number) as number,
      at_hash: expect.any(String) as string,
    });
  });

  it('gives no ID token without openid, and never a refresh token', async () => {
    const scope = 'profile offline_access';
    const answer = (await byAssertion(api, await assertionOf(robot), { scope })).json<TokenAnswer>();
    expect(answer.scope).toBe('profile');
    expect(answer).not.toHaveProperty('id_token');
    expect(answer).not.toHaveProperty('refresh_token');
  });

  it('gives a JWT where the user has them', async () => {
    const user = await aRobot(world, { accessTokenType: 'jwt' });
    const { access_token: token } = (await byAssertion(api, await assertionOf(user))).json<TokenAnswer>();
    expect(decodeJwt(token)).toMatchObject({
      sub: user.userId,
      aud: [user.userName],
      client_id: user.userName,
    });
  });

  it.each<[string, (name: string) => Promise<unknown>]>([
    ['a client of another organization', (name) => nameClient(name)],
    ['a project of another organization', (name) => nameProject(name)],
    ['a client that publishes a document', (name) => Promise.resolve(name)],
  ])('names a service user that is called like %s by its id (S377)', async (kind, use) => {
    const name = kind.includes('publishes') ? 'https://agent.example/client' : `shop-${randomToken(6)}`;
    const user = await aRobot(world, { accessTokenType: 'jwt', userName: name });
    await use(name);
    const answer = (await byAssertion(api, await assertionOf(user))).json<TokenAnswer>();
    const own = { sub: user.userId, aud: [user.userId] };
    expect(decodeJwt(answer.access_token)).toMatchObject({ ...own, client_id: user.userId });
    expect(decodeJwt(answer.id_token)).toMatchObject({ ...own, azp: user.userId });
    expect((await userinfo(api, answer.access_token)).json()).toMatchObject({ sub: user.userId });
    const bySecretToo = (await bySecret(api, user)).json<TokenAnswer>();
    expect(decodeJwt(bySecretToo.access_token)).toMatchObject({ ...own, client_id: user.userId });
  });

  it.each([
    ['the issuer', 'https://id.test'],
    ['the token endpoint', 'https://id.test/oauth/v2/token'],
    ['the issuer as a list of one', ['https://id.test']],
  ])('is addressed to %s', async (_name, aud) => {
    const response = await byAssertion(api, await assertionOf(robot, { claims: { aud } }));
    expect(response.statusCode).toBe(200);
  });

  it('takes a client_id that names nobody in particular: the assertion says who it is', async () => {
    const form = { client_id: 'whatever' };
    expect((await byAssertion(api, await assertionOf(robot), form)).statusCode).toBe(200);
  });

  it.each([
    ['59 minutes old', { iat: -3540, exp: 60 }],
    ['good for an hour', { iat: 0, exp: 3600 }],
    ['of a clock that is 60 s ahead (F29)', { iat: 60, exp: 120, nbf: 60 }],
  ])('takes one that is %s', async (_name, times) => {
    const claims = Object.fromEntries(Object.entries(times).map(([name, at]) => [name, now() + at]));
    expect((await byAssertion(api, await assertionOf(robot, { claims }))).statusCode).toBe(200);
  });
});

describe('S095, S096: signed for somebody else', () => {
  it('by the key of another user, under this or that name', async () => {
    await expectRefused({ key: other.key });
    await expectRefused({ header: { kid: other.keyId } });
    await expectRefused({ header: { kid: other.keyId }, key: other.key });
    // a key of another organization, for its own and for this user
    await expectRefused({ header: { kid: foreign.keyId }, key: foreign.key });
    await expectRefused({ claims: { iss: robot.userId, sub: robot.userId } }, foreign);
  });

  it('for a person', async () => {
    const { userId } = await aUser(world);
    await expectRefused({ claims: { iss: userId, sub: userId } });
  });

  it('for nobody', async () => {
    await expectRefused({ claims: { iss: 'nobody', sub: 'nobody' } });
    await expectRefused({ header: { kid: 'nothing' } });
    await expectRefused({ header: { kid: undefined } });
    await expectRefused({ header: { kid: 'a b' } });
  });
});

describe('S097: claims', () => {
  it.each([
    ['exp missing', { exp: undefined }],
    ['iat missing', { iat: undefined }],
    ['aud missing', { aud: undefined }],
    ['iss missing', { iss: undefined }],
    ['sub missing', { sub: undefined }],
    ['another issuer', { iss: 'https://id.test' }],
    ['another audience', { aud: 'https://other.test' }],
    ['us and another', { aud: ['https://id.test', 'https://other.test'] }],
    ['an empty audience', { aud: [] }],
    ['a jti that is none', { jti: '' }],
    ['a jti that is a number', { jti: 7 }],
    ['a subject that is a number', { sub: 7 }],
  ])('%s', async (_name, claims) => {
    await expectRefused({ claims });
  });

  it.each([
    ['expired', { iat: -120, exp: -1 }],
    ['good for more than an hour', { iat: 0, exp: 3601 }],
    ['good for a year', { iat: 0, exp: 31_536_000 }],
    ['two hours old', { iat: -7200, exp: 60 }],
    ['of a clock that is 90 s ahead (F29)', { iat: 90, exp: 150, nbf: 90 }],
    ['not good yet', { iat: 0, exp: 600, nbf: 300 }],
  ])('%s', async (_name, times) => {
    const claims = Object.fromEntries(Object.entries(times).map(([name, at]) => [name, now() + at]));
    await expectRefused({ claims });
  });
});

describe('signatures (RFC 8725)', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claimsOf = (user: Robot) => ({
    iss: user.userId,
    sub: user.userId,
    aud: 'https://id.test',
    iat: now(),
    exp: now() + 60,
  });

  it('none, and one made with what is public', async () => {
    const rsa = await aRobot(world, { alg: 'RS256' });
    const { rows } = await api.sql.query<{ public_jwk: object }>(
      'SELECT public_jwk FROM service_user_keys WHERE id = $1',
      [rsa.keyId],
    );
    const unsigned = `${encoded({ alg: 'none', kid: rsa.keyId })}.${encoded(claimsOf(rsa))}.`;
    const input = `${encoded({ alg: 'HS256', kid: rsa.keyId })}.${encoded(claimsOf(rsa))}`;
    const mac = createHmac('sha256', JSON.stringify(rows[0]?.public_jwk)).update(input).digest('base64url');
    for (const assertion of [unsigned, `${input}.${mac}`]) {
      expectOAuthError(await byAssertion(api, assertion), 400, 'invalid_grant');
    }
  });

  it('a key that the header brings along, a critical extension, another type', async () => {
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = stranger.publicKey.export({ format: 'jwk' });
    await expectRefused({ header: { jwk }, key: stranger.privateKey });
    await expectRefused({ header: { jku: 'https://canary.test/keys' }, key: stranger.privateKey });
    const crit = `${encoded({ alg: 'ES256', kid: robot.keyId, crit: ['x'], x: 1 })}.${encoded(claimsOf(robot))}.AA`;
    expectOAuthError(await byAssertion(api, crit), 400, 'invalid_grant');
    await expectRefused({ header: { typ: 'client-authentication+jwt' } });
    await expectRefused({ header: { typ: 'logout+jwt' } });
  });

  it('what is no JWT at all', async () => {
    for (const assertion of ['x', 'a.b', 'a.b.c', 'a.b.c.d.e', '..', 'x'.repeat(20_000), '{"a":1}']) {
      expectOAuthError(await byAssertion(api, assertion), 400, 'invalid_grant');
    }
    const crowded = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`claim${n}`, n]));
    await expectRefused({ claims: crowded });
  });

  it('our own tokens are no assertions', async () => {
    const user = await aRobot(world, { accessTokenType: 'jwt' });
    const answer = (await byAssertion(api, await assertionOf(user))).json<TokenAnswer>();
    for (const token of [answer.access_token, answer.id_token]) {
      expectOAuthError(await byAssertion(api, token), 400, 'invalid_grant');
    }
  });
});

describe('S098: again', () => {
  it('one with a jti is good once, however many come at a time', async () => {
    const assertion = await assertionOf(robot, { claims: { jti: 'Marker-once' } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => byAssertion(api, assertion)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) {
      expectOAuthError(answer, 400, 'invalid_grant');
    }
  });

  it('a jti is one user’s own', async () => {
    const claims = { jti: 'Marker-shared' };
    expect((await byAssertion(api, await assertionOf(robot, { claims }))).statusCode).toBe(200);
    expect((await byAssertion(api, await assertionOf(other, { claims }))).statusCode).toBe(200);
  });

  it('is not used up by a request that is refused', async () => {
    const assertion = await assertionOf(robot, { claims: { jti: 'Marker-patience' } });
    expectOAuthError(await byAssertion(api, assertion, { scope: 'everything' }), 400, 'invalid_scope');
    expect((await byAssertion(api, assertion)).statusCode).toBe(200);
  });

  it('one without a jti is good until it expires', async () => {
    const assertion = await assertionOf(robot);
    expect((await byAssertion(api, assertion)).statusCode).toBe(200);
    expect((await byAssertion(api, assertion)).statusCode).toBe(200);
    await api.advance(3_601);
    try {
      expectOAuthError(await byAssertion(api, assertion), 400, 'invalid_grant');
    } finally {
      await api.advance(-3_601);
    }
  });

  it('keeps no jti, and clears away what is over', async () => {
    const { rows } = await api.sql.query('SELECT row_to_json(u)::text AS row FROM used_assertions u');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('Marker');
  });
});

describe('requests', () => {
  it('must have an assertion and a scope', async () => {
    const form = { grant_type: JWT_BEARER };
    expectOAuthError(await requestToken(api, { ...form, scope: 'openid' }), 400, 'invalid_request');
    const assertion = await assertionOf(robot);
    expectOAuthError(await requestToken(api, { ...form, assertion }), 400, 'invalid_request');
  });

  it('must not bring credentials beside it', async () => {
    const client = await anApplication(world);
    const assertion = await assertionOf(robot);
    expectOAuthError(await byAssertion(api, assertion, {}, basic(client)), 400, 'invalid_request');
    expectOAuthError(await byAssertion(api, assertion, { client_secret: 'x' }), 400, 'invalid_request');
    expectOAuthError(await byAssertion(api, assertion, { client_assertion: 'x' }), 400, 'invalid_request');
  });

  it('S099: scopes of another organization', async () => {
    for (const scope of [
      `openid urn:zitadel:iam:org:id:${elsewhere.orgId}`,
      `openid urn:zitadel:iam:org:project:id:${elsewhere.projectId}:aud`,
    ]) {
      expectOAuthError(await byAssertion(api, await assertionOf(robot), { scope }), 400, 'invalid_scope');
    }
  });
});

describe('keys', () => {
  it('of a key file as the API makes it', async () => {
    const user = await aRobot(world);
    const added = await owner.call('POST', `users/${user.userId}/keys`, {});
    const { keyDetails } = added.json<{ keyDetails: string }>();
    const file = JSON.parse(Buffer.from(keyDetails, 'base64').toString()) as { keyId: string; key: string };
    const { createPrivateKey } = await import('node:crypto');
    const parts = { header: { alg: 'RS256', kid: file.keyId }, key: createPrivateKey(file.key) };
    expect((await byAssertion(api, await assertionOf(user, parts))).statusCode).toBe(200);
  });

  it('expire', async () => {
    const user = await aRobot(world);
    await api.sql.query(
      `UPDATE service_user_keys SET expires_at = app_now() + interval '1 hour' WHERE id = $1`,
      [user.keyId],
    );
    expect((await byAssertion(api, await assertionOf(user))).statusCode).toBe(200);
    await api.sql.query(`UPDATE service_user_keys SET expires_at = app_now() WHERE id = $1`, [user.keyId]);
    await expectRefused({}, user);
  });

  it('are not taken for a user who is shut out', async () => {
    const user = await aRobot(world);
    await owner.call('POST', `users/${user.userId}/_lock`, {});
    await expectRefused({}, user);
    expectOAuthError(await bySecret(api, user), 401, 'invalid_client');
  });
});
