import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt, decodeProtectedHeader, SignJWT, type JSONWebKeySet, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/domain/signing-keys/key-ring.js';
import { anApi } from '../../support/api.js';
import { anApplication, aPublicApplication, type TestClient } from '../../support/applications.js';
import { anAssertingApplication, asserted } from '../../support/assertions.js';
import { basic, obtainTokens, type TokenAnswer } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { statementsOf } from '../../support/statements.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';
import { audienceScope, machineToken } from './support/machine-tokens.js';

const INACTIVE = '{"active":false}';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const jwtClient = given(() => anApplication(world, { accessTokenType: 'jwt' }));
const post = given(() => anApplication(world, { authMethod: 'client_secret_post' }));
const spa = given(() => aPublicApplication(world));
const asserting = given(() => anAssertingApplication(world));
const service = given(() => aServiceUser(world));
const user = given(() =>
  aUser(world, {
    email: { address: 'ada@mail.test', verified: true },
    phone: { number: '+41791234567', verified: true },
  }),
);
const opaque = given(() => obtainTokens(api, client, user));
const jwt = given(() => obtainTokens(api, jwtClient, user));

const send = (form: Record<string, string> | string, headers = {}, url = '/oauth/v2/introspect') =>
  postForm(api, url, form, headers);
const introspect = (token: string, by: TestClient = client) => send({ token }, basic(by));
const claimsOf = async (token: string, by: TestClient = client) =>
  (await introspect(token, by)).json<JWTPayload & Record<string, unknown>>();

describe('an active token', () => {
  it.each<[string, () => [TokenAnswer, TestClient]]>([
    ['opaque', () => [opaque, client]],
    ['JWT', () => [jwt, jwtClient]],
  ])('%s, told to a client of its project', async (_form, given) => {
    const [tokens, issuedTo] = given();
    const response = await introspect(tokens.access_token);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.headers['cache-control']).toBe('no-store');
    const { aud, exp = 0, iat = 0, jti, auth_time: authTime, ...rest } = response.json<JWTPayload>();
    expect(rest).toEqual({
      active: true,
      scope: 'openid profile email offline_access',
      client_id: issuedTo.clientId,
      username: user.loginName,
      token_type: 'Bearer',
      nbf: iat,
      sub: user.userId,
      iss: 'https://id.test',
      amr: ['pwd'],
      acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      preferred_username: user.loginName,
      updated_at: expect.any(Number) as number,
      email: 'ada@mail.test',
      email_verified: true,
    });
    expect(exp - iat).toBe(tokens.expires_in);
    expect(jti).toMatch(/^[!-~]{20,}$/);
    expect(authTime).toBe(decodeJwt(tokens.id_token)['auth_time']);
    // every client of the project, and the project
    const ids = [client, jwtClient, post, spa, asserting].map(({ clientId }) => clientId);
    expect(aud).toEqual(expect.arrayContaining([...ids, world.projectId]));
    expect(aud).toHaveLength(ids.length + 1);
  });

  it('is the same told to a client that signs an assertion', async () => {
    const response = await send({ token: opaque.access_token, ...(await asserted(asserting)) });
    expect(response.json()).toEqual(await claimsOf(opaque.access_token));
  });

  it('says of the user what its scopes say, and no more (S118)', async () => {
    const { access_token: token } = await obtainTokens(api, client, user, { scope: 'openid' });
    const claims = await claimsOf(token);
    expect(claims).toMatchObject({
      active: true,
      scope: 'openid',
      username: `${user.userName}@${world.domain}`,
    });
    for (const name of ['name', 'preferred_username', 'email', 'email_verified', 'phone_number', 'address']) {
      expect(claims).not.toHaveProperty(name);
    }
    const all = await obtainTokens(api, client, user, { scope: 'openid phone' });
    expect(await claimsOf(all.access_token)).toMatchObject({
      phone_number: '+41791234567',
      phone_number_verified: true,
    });
  });

  it('may come with a hint of its kind, right or wrong', async () => {
    for (const hint of ['access_token', 'refresh_token', 'x']) {
      const form = { token: opaque.access_token, token_type_hint: hint };
      expect((await send(form, basic(client))).json()).toMatchObject({ active: true });
    }
  });

  it('of a service user that has a personal access token is for its organization’s applications', async () => {
    const claims = await claimsOf(service.pat);
    expect(claims).toMatchObject({
      active: true,
      sub: service.userId,
      scope: 'openid profile',
      token_type: 'Bearer',
      aud: [client.clientId, world.projectId],
      username: expect.stringMatching(new RegExp(`^svc-.*@${world.domain}$`)) as string,
    });
    // who introspects by RFC 7662 alone can read it like any other
    const { username = '' } = claims as { username?: string };
    expect(claims).toMatchObject({
      client_id: username.slice(0, username.lastIndexOf('@')),
      exp: 253_402_300_799,
    });
    const elsewhere = await anOrganization(api);
    expect((await introspect(service.pat, await anApplication(elsewhere))).body).toBe(INACTIVE);
  });

  it('of a personal access token has the end that it was given, and none after it', async () => {
    const owner = await aServiceUser(world);
    await api.sql.query(
      `UPDATE personal_access_tokens SET expires_at = app_now() + interval '1 hour' WHERE user_id = $1`,
      [owner.userId],
    );
    const { exp = 0, iat = 0 } = await claimsOf(owner.pat);
    expect(exp - iat).toBeGreaterThan(3590);
    expect(exp - iat).toBeLessThan(3700);
    await api.sql.query(`UPDATE personal_access_tokens SET expires_at = app_now() WHERE user_id = $1`, [
      owner.userId,
    ]);
    expect((await introspect(owner.pat)).body).toBe(INACTIVE);
  });
});

describe('a client that may not ask (S115)', () => {
  it.each<[string, () => Promise<LightMyRequestResponse>]>([
    ['says nothing of itself', () => send({ token: opaque.access_token })],
    ['sends its secret in the body', () =>
      send({ token: opaque.access_token, client_id: post.clientId, client_secret: post.clientSecret })],
    ['sends in the body what belongs in the header', () =>
      send({ token: opaque.access_token, client_id: client.clientId, client_secret: client.clientSecret })],
    ['is public', () => send({ token: opaque.access_token, client_id: spa.clientId })],
    ['only names itself', () => send({ token: opaque.access_token, client_id: client.clientId })],
    ['has the wrong secret', () => introspect(opaque.access_token, { ...client, clientSecret: 'x' })],
    ['is unknown', () => introspect(opaque.access_token, { ...client, clientId: 'nobody' })],
    ['uses the method of another', () => introspect(opaque.access_token, post)],
    ['signs with a foreign key', async () =>
      send({ token: opaque.access_token, ...(await asserted({ ...asserting, clientId: client.clientId })) })],
    ['brings a user’s token as its own', () =>
      send({ token: opaque.access_token }, { authorization: `Bearer ${opaque.access_token}` })],
  ])('%s', async (_name, ask) => {
    const response = await ask();
    expectOAuthError(response, 401, 'invalid_client');
    expect(response.body).not.toContain('active');
  }); // prettier-ignore

  it('is told invalid_request for two ways at once', async () => {
    const form = { token: opaque.access_token, ...(await asserted(asserting)) };
    expectOAuthError(await send(form, basic(client)), 400, 'invalid_request');
  });
});

describe('a request that is no request', () => {
  it('without a token', async () => {
    expect(expectOAuthError(await send({}, basic(client)), 400, 'invalid_request')).toBe('token missing');
    expectOAuthError(await send({ token: '' }, basic(client)), 400, 'invalid_request');
  });

  it('with two, or another parameter twice (S068)', async () => {
    expectOAuthError(await send('token=a&token=b', basic(client)), 400, 'invalid_request');
    expectOAuthError(await send('token=a&x=1&x=2', basic(client)), 400, 'invalid_request');
  });

  it('with a token in the query, or none of ours to read (S119)', async () => {
    const url = `/oauth/v2/introspect?token=${opaque.access_token}`;
    expectOAuthError(await send({}, basic(client), url), 400, 'invalid_request');
    expectOAuthError(await send({ token: opaque.access_token }, basic(client), url), 400, 'invalid_request');
    expect((await api.app.inject({ url, headers: basic(client) })).statusCode).toBe(405);
    expectOAuthError(await introspect('x'.repeat(2_000_000)), 400, 'invalid_request');
    const json = { 'content-type': 'application/json', ...basic(client) };
    expectOAuthError(await send(JSON.stringify({ token: 'x' }), json), 400, 'invalid_request');
  });
});

describe('a token that is not for the client that asks (S116)', () => {
  it.each<[string, () => TokenAnswer]>([
    ['opaque', () => opaque],
    ['JWT', () => jwt],
  ])('%s is told like none', async (_form, given) => {
    const elsewhere = await anOrganization(api);
    const stranger = await anApplication(elsewhere);
    expect((await introspect(given().access_token, stranger)).body).toBe(INACTIVE);
    // nor to another project of the same organization
    const { rows } = await api.sql.query<{ id: string }>(
      `INSERT INTO projects (org_id, name) VALUES ($1, gen_random_uuid()::text) RETURNING id`,
      [world.orgId],
    );
    const neighbour = await anApplication(world, { projectId: (rows[0]?.id ?? '') as World['projectId'] });
    expect((await introspect(given().access_token, neighbour)).body).toBe(INACTIVE);
  });
});

describe('a service user’s own token', () => {
  it.each(['opaque', 'jwt'] as const)('%s: is for the projects that it names', async (form) => {
    const token = await machineToken(api, world, { form, scope: audienceScope(world.projectId) });
    const claims = await claimsOf(token);
    expect(claims).toMatchObject({ active: true, iss: 'https://id.test', token_type: 'Bearer' });
    expect(claims.aud).toContain(world.projectId);
    expect(claims['username']).toBe(`${String(claims['client_id'])}@${world.domain}`);
    expect((await introspect(await machineToken(api, world, { form }))).body).toBe(INACTIVE);
  });

  it.each<[string, () => string]>([
    ['client', () => client.clientId],
    ['project', () => world.projectId],
  ])('is not for the %s that the user is named like', async (_kind, name) => {
    for (const form of ['opaque', 'jwt'] as const) {
      const elsewhere = await anOrganization(api);
      const token = await machineToken(api, elsewhere, { form, named: name() });
      expect((await introspect(token)).body).toBe(INACTIVE);
    }
  });
});

describe('a token that is not active (S117)', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['garbage', () => 'Marker-garbage'],
    ['garbage like an opaque token', () => `at_${'A'.repeat(200)}`],
    ['garbage like a JWT', () => 'a.b.c'],
    ['garbage like a personal access token', () => `pat_${'A'.repeat(43)}`],
    ['a NUL', () => 'a\u0000b'],
    ['a NUL in a personal access token', () => 'pat_\u0000'],
    ['a refresh token', () => opaque.refresh_token],
    ['an ID token', () => opaque.id_token],
    ['an opaque token with a bit changed', () => flip(opaque.access_token, 100)],
    ['an opaque token cut short', () => opaque.access_token.slice(0, -4)],
    ['a JWT with a changed signature', () => flip(jwt.access_token, jwt.access_token.length - 20)],
    ['a JWT with alg none', () => forge({ alg: 'none' }, () => '')],
    ['a JWT signed by HS256 with our public key', async () => {
      const { keys } = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
      const pem = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      });
      const { kid } = decodeProtectedHeader(jwt.access_token);
      return forge({ alg: 'HS256', kid }, (input) =>
        createHmac('sha256', pem).update(input).digest('base64url'),
      );
    }],
    ['a JWT signed by somebody else under our kid', () => signedByAttacker({})],
    ['a JWT that brings its key', () => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return signedByAttacker({ jwk: publicKey.export({ format: 'jwk' }) });
    }],
    ['a good token with a space behind', () => `${opaque.access_token} `],
  ])('%s', async (_name, make) => {
    const response = await introspect(await make());
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe(INACTIVE);
  }); // prettier-ignore

  it.each<[string, string, string]>([
    ['its user is deactivated', `UPDATE users SET state = 'inactive' WHERE id = $1`, 'user'],
    ['its user is locked', `UPDATE users SET state = 'locked' WHERE id = $1`, 'user'],
    ['its user set another password', `UPDATE users SET token_epoch = token_epoch + 1 WHERE id = $1`, 'user'],
    ['its session has ended', `UPDATE sessions SET ended_at = app_now(), end_reason = 'x' WHERE user_id = $1`, 'user'],
    ['its grant is revoked', `UPDATE authorizations SET revoked_at = app_now(), revoke_reason = 'x' WHERE user_id = $1`, 'user'],
    ['its client is deactivated', `UPDATE applications SET state = 'inactive' WHERE id = $1`, 'client'],
    ['its client has a new secret', `UPDATE applications SET token_epoch = token_epoch + 1 WHERE id = $1`, 'client'],
  ])('because %s', async (_name, change, whose) => {
    const somebody = await aUser(world);
    for (const accessTokenType of ['opaque', 'jwt'] as const) {
      const issuedTo = await anApplication(world, { accessTokenType });
      // the session lives in the token only while nobody asked for offline access
      const { access_token: token } = await obtainTokens(api, issuedTo, somebody, { scope: 'openid' });
      expect(await claimsOf(token)).toMatchObject({ active: true });
      await api.sql.query(change, [whose === 'user' ? somebody.userId : issuedTo.id]);
      expect((await introspect(token)).body).toBe(INACTIVE);
      if (whose === 'user') await api.sql.query(`UPDATE users SET state = 'active' WHERE id = $1`, [somebody.userId]);
    }
  }); // prettier-ignore

  it('because its key was withdrawn', async () => {
    const fresh = await anApi();
    const other = await anOrganization(fresh);
    const app = await anApplication(other, { accessTokenType: 'jwt' });
    const { access_token: token } = await obtainTokens(fresh, app, await aUser(other));
    const ask = async () => (await postForm(fresh, '/oauth/v2/introspect', { token }, basic(app))).body;
    expect(await ask()).toContain('"active":true');
    await fresh.sql.query(
      `UPDATE signing_keys SET state = 'gone', private_sealed = NULL, data_key_id = NULL WHERE state = 'current'`,
    );
    expect(await ask()).toBe(INACTIVE);
  });

  it('because its time is over, to the second', async () => {
    const fresh = await anApi();
    const other = await anOrganization(fresh);
    const app = await anApplication(other);
    const owner = await aUser(other);
    for (const accessTokenType of ['opaque', 'jwt'] as const) {
      const issuedTo = await anApplication(other, { accessTokenType });
      const tokens = await obtainTokens(fresh, issuedTo, owner);
      const ask = async () =>
        (await postForm(fresh, '/oauth/v2/introspect', { token: tokens.access_token }, basic(app))).json<{
          active: boolean;
        }>().active;
      await fresh.advance(tokens.expires_in - 30);
      expect(await ask()).toBe(true);
      await fresh.advance(30);
      expect(await ask()).toBe(false);
    }
  });
});

describe('speed', () => {
  it('one statement answers for the token, one for the client', async () => {
    await introspect(opaque.access_token);
    // the keys, which are kept for some seconds, were read just now
    api.app.get(KeyRing).forget();
    await api.app.get(KeyRing).currentSigner();
    const sent = await statementsOf(api, () => introspect(opaque.access_token));
    expect(sent.map(({ name }) => name)).toEqual([
      'applications-find-clients',
      'tokens-find-subjects-of-live-tokens',
    ]);
  });
});

function flip(token: string, at: number): string {
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
}

function forge(header: object, sign: (input: string) => string): string {
  const payload = jwt.access_token.split('.')[1] ?? '';
  const input = `${Buffer.from(JSON.stringify({ typ: 'JWT', ...header })).toString('base64url')}.${payload}`;
  return `${input}.${sign(input)}`;
}

async function signedByAttacker(header: Record<string, unknown>): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return await new SignJWT(decodeJwt(jwt.access_token))
    .setProtectedHeader({ ...decodeProtectedHeader(jwt.access_token), alg: 'RS256', ...header })
    .sign(privateKey);
}
