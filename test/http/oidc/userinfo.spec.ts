import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { obtainTokens, userinfo } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const URL_PATH = '/oidc/v1/userinfo';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() =>
  aUser(world, {
    email: { address: 'ada@mail.test', verified: true },
    phone: { number: '+41791234567', verified: false },
    profile: {
      nickName: 'ada',
      middleName: 'King',
      gender: 'female',
      preferredLanguage: 'en',
      birthdate: '1815-12-10',
      zoneinfo: 'Europe/London',
      profile: 'https://ada.test/',
      picture: 'https://ada.test/p.png',
      website: 'https://ada.test/w',
      address: { streetAddress: 'St James’s Square 12', locality: 'London', country: 'UK' },
    },
  }),
);
const opaque = given(() => obtainTokens(api, client, user));
const jwt = given(async () =>
  obtainTokens(api, await anApplication(world, { accessTokenType: 'jwt' }), user),
);

describe('the claims of a scope (S118, S122)', () => {
  const PROFILE = [
    'name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile',
    'picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at',
  ]; // prettier-ignore

  it.each<[string, readonly string[]]>([
    ['openid', []],
    ['openid profile', PROFILE],
    ['openid email', ['email', 'email_verified']],
    ['openid phone', ['phone_number', 'phone_number_verified']],
    ['openid address', ['address']],
    ['openid email phone', ['email', 'email_verified', 'phone_number', 'phone_number_verified']],
    ['email openid offline_access', ['email', 'email_verified']],
  ])('%s', async (scope, claims) => {
    const tokens = await obtainTokens(api, client, user, { scope });
    const answer = (await userinfo(api, tokens.access_token)).json<Record<string, unknown>>();
    expect(Object.keys(answer).toSorted()).toEqual(['sub', ...claims].toSorted());
    expect(answer['sub']).toBe(user.userId);
    // none of them in the ID token while there is an access token to fetch them with
    for (const claim of claims) expect(decodeJwt(tokens.id_token)).not.toHaveProperty(claim);
  });

  it('have their types, and what is not verified says so', async () => {
    const tokens = await obtainTokens(api, client, user, { scope: 'openid profile email phone address' });
    // nobody signs in with an address that is not verified, but it can change afterwards
    const verify = `UPDATE user_humans SET email_verified = $2 WHERE user_id = $1`;
    await api.sql.query(verify, [user.userId, false]);
    const answer = (await userinfo(api, tokens.access_token)).json<Record<string, unknown>>();
    await api.sql.query(verify, [user.userId, true]);
    expect(answer).toMatchObject({
      preferred_username: user.loginName,
      updated_at: expect.any(Number) as number,
      email_verified: false,
      phone_number_verified: false,
      address: { street_address: 'St James’s Square 12', locality: 'London', country: 'UK' },
    });
    expect(Number.isInteger(answer['updated_at'])).toBe(true);
    expect(answer['updated_at']).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('leave out what there is not', async () => {
    const plain = await aUser(world);
    const tokens = await obtainTokens(api, client, plain, { scope: 'openid profile phone address' });
    const answer = (await userinfo(api, tokens.access_token)).json<Record<string, unknown>>();
    expect(Object.keys(answer).toSorted()).toEqual(
      ['sub', 'name', 'given_name', 'family_name', 'preferred_username', 'updated_at'].toSorted(),
    );
  });
});

describe('the ways to ask', () => {
  it.each(['opaque', 'jwt'])('GET, POST with the header, POST with the body: %s', async (form) => {
    const { access_token: token } = form === 'jwt' ? jwt : opaque;
    const bearer = { authorization: `Bearer ${token}` };
    const answers = [
      await api.app.inject({ url: URL_PATH, headers: bearer }),
      await api.app.inject({ url: URL_PATH, headers: { authorization: `bearer ${token}` } }),
      await api.app.inject({ method: 'POST', url: URL_PATH, headers: bearer }),
      await postForm(api, URL_PATH, '', bearer),
      await postForm(api, URL_PATH, { access_token: token }),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toBe(answers[0]?.body);
    }
  });
});

describe('without one good token (S120)', () => {
  it('nothing was tried: no error code in the challenge (RFC 6750 §3.1)', async () => {
    for (const headers of [{}, FORM]) {
      const response = await api.app.inject({ method: 'POST', url: URL_PATH, headers });
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expectOAuthError(response, 401, 'invalid_request');
    }
  });

  const bearerOf = (token: string) => ({ authorization: `Bearer ${token}` });
  it.each<[string, () => { headers: Record<string, string>; payload?: string }]>([
    ['Basic', () => ({ headers: { authorization: 'Basic YTpi' } })],
    ['no scheme', () => ({ headers: { authorization: opaque.access_token } })],
    ['an empty header', () => ({ headers: { authorization: '' } })],
    ['an empty token', () => ({ headers: { authorization: 'Bearer ' } })],
    [
      'two tokens in the header',
      () => ({ headers: bearerOf(`${opaque.access_token} ${opaque.access_token}`) }),
    ],
    ['a list', () => ({ headers: bearerOf(`${opaque.access_token}, Bearer ${opaque.access_token}`) })],
    ['characters that no token has', () => ({ headers: bearerOf('a\u00e9"<>') })],
    [
      'header and body',
      () => ({
        headers: { ...bearerOf(opaque.access_token), ...FORM },
        payload: `access_token=${opaque.access_token}`,
      }),
    ],
    [
      'twice in the body',
      () => ({
        headers: FORM,
        payload: `access_token=${opaque.access_token}&access_token=${jwt.access_token}`,
      }),
    ],
    ['garbage', () => ({ headers: bearerOf('garbage') })],
    ['an ID token', () => ({ headers: bearerOf(jwt.id_token) })],
    ['a refresh token', () => ({ headers: bearerOf(opaque.refresh_token) })],
    ['an unknown personal access token', () => ({ headers: bearerOf(`pat_${'A'.repeat(43)}`) })],
  ])('%s', async (_name, make) => {
    const response = await api.app.inject({ method: 'POST', url: URL_PATH, ...make() });
    expectOAuthError(response, 401, 'invalid_token');
    expect(response.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+"$/,
    );
  });
});

describe('an opaque token that was changed', () => {
  it('in any character, cut short, made longer or respelled is no token', async () => {
    const token = opaque.access_token;
    const changed = [
      ...Array.from({ length: 12 }, (_, n) => {
        const at = 3 + Math.floor((n * (token.length - 4)) / 11);
        return `${token.slice(0, at)}${token.charAt(at) === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      }),
      ...Array.from({ length: 20 }, (_, n) => token.slice(0, -1 - n)),
      `${token}A`,
      `${token}AAAA`,
      `${token}=`,
      token.replace('at_', 'AT_'),
      token.slice(3),
      `at_${token}`,
      'at_',
      'at_AQ',
    ];
    for (const candidate of changed) expect((await userinfo(api, candidate)).statusCode, candidate).toBe(401);
    expect((await userinfo(api, token)).statusCode).toBe(200);
  });
});

describe('a JWT that we did not sign', () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const headerOf = () => decodeProtectedHeader(jwt.access_token);
  const signatureOf = () => jwt.access_token.split('.')[2] ?? '';
  const forged = (header: object, signature: string, claims: object = {}) =>
    `${base64(header)}.${base64({ ...decodeJwt(jwt.access_token), ...claims })}.${signature}`;

  it.each<[string, () => string | Promise<string>]>([
    ['alg none', () => forged({ ...headerOf(), alg: 'none' }, '')],
    ['another subject', () => forged(headerOf(), signatureOf(), { sub: 'somebody' })],
    ['a longer life', () => forged(headerOf(), signatureOf(), { exp: 4_102_444_800 })],
    ['an unknown kid', () => forged({ ...headerOf(), kid: 'A'.repeat(22) }, signatureOf())],
    ['no kid', () => forged({ alg: 'RS256', typ: 'JWT' }, signatureOf())],
    ['a kid with a NUL', () => forged({ ...headerOf(), kid: 'a\u0000b' }, signatureOf())],
    ['a kid that is a number', () => forged({ ...headerOf(), kid: 1 }, signatureOf())],
    ['a kid that is an object', () => forged({ ...headerOf(), kid: { x: 1 } }, signatureOf())],
    ['an unknown critical header', () => forged({ ...headerOf(), crit: ['x'], x: 1 }, signatureOf())],
    [
      'HS256 keyed with the public key',
      async () => {
        const { keys } = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
        const key = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
        const unsigned = forged({ ...headerOf(), alg: 'HS256' }, '');
        const pem = key.export({ type: 'spki', format: 'pem' });
        return unsigned + createHmac('sha256', pem).update(unsigned.slice(0, -1)).digest('base64url');
      },
    ],
    [
      'a stranger’s key under our kid',
      () =>
        new SignJWT(decodeJwt(jwt.access_token))
          .setProtectedHeader({ alg: 'RS256', kid: headerOf().kid ?? '', typ: 'JWT' })
          .sign(stranger.privateKey),
    ],
    ['a JWE', () => `${base64({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2 ** 31 })}.a.b.c.d`],
    ['only dots', () => '....'],
  ])('%s', async (_name, make) => {
    expectOAuthError(await userinfo(api, await make()), 401, 'invalid_token');
  });
});
