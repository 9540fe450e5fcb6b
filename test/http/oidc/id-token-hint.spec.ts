import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, type JSONWebKeySet } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectRedirectedError } from './support/answers.js';

let adasToken: string;
let evesToken: string;
let jwtAccessToken: string;

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const jwtClient = given(() => anApplication(world, { accessTokenType: 'jwt' }));
const ada = given(() => aUser(world));
const eve = given(() => aUser(world));
const adasBrowser = new TestBrowser(api);
beforeAll(async () => {
  adasToken = (await obtainTokens(api, client, ada, {}, adasBrowser)).id_token;
  evesToken = (await obtainTokens(api, client, eve)).id_token;
  jwtAccessToken = (await obtainTokens(api, jwtClient, ada)).access_token;
});

async function ask(hint: string, changes: Record<string, string> = {}, browser = adasBrowser) {
  return await browser.get(authorizeUrl(codeRequest(client, { id_token_hint: hint, ...changes })));
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Ada's token with another header and a signature made by `sign`, which is given what is signed. */
function resigned(header: object, sign: (input: string) => string, claims: object = {}): string {
  const input = `${base64(header)}.${base64({ ...decodeJwt(adasToken), ...claims })}`;
  return `${input}.${sign(input)}`;
}

describe('a valid id_token_hint', () => {
  it('of the user who is signed in: answered without asking', async () => {
    expect(redirected(await ask(adasToken, { prompt: 'none' })).has('code')).toBe(true);
    expect(redirected(await ask(adasToken)).has('code')).toBe(true);
  });

  it('that has expired still says who is meant', async () => {
    const { keys } = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
    await api.advance(13 * 3600);
    expect(decodeJwt(adasToken).exp).toBeLessThan(Date.now() / 1000 + 13 * 3600);
    expect(keys[0]?.kid).toBe(decodeProtectedHeader(adasToken).kid);
    expect(redirected(await ask(adasToken, { prompt: 'none' })).has('code')).toBe(true);
  });

  it('of somebody else: login_required, or the sign-in page (S034)', async () => {
    expectRedirectedError(await ask(evesToken, { prompt: 'none' }), 'login_required');
    expect((await ask(evesToken)).headers.location).toMatch(/^\/login\?flow=/);
  });

  it('picks that user’s session where a browser has several', async () => {
    const browser = await aSignedInBrowser(api, client, ada);
    await browser.signIn(codeRequest(client, { prompt: 'login' }), eve);
    for (const hint of [adasToken, evesToken]) {
      expect(redirected(await ask(hint, { prompt: 'none' }, browser)).has('code')).toBe(true);
    }
  });

  it('never signs anybody in', async () => {
    const browser = new TestBrowser(api);
    expectRedirectedError(await ask(adasToken, { prompt: 'none' }, browser), 'login_required');
    expect((await ask(adasToken, {}, browser)).headers.location).toMatch(/^\/login\?flow=/);
  });

  it('is not satisfied by another user who signs in on the page', async () => {
    const browser = new TestBrowser(api);
    for (const [user, outcome] of [
      [eve, 'error'],
      [ada, 'code'],
    ] as const) {
      const asked = await ask(adasToken, { prompt: 'login' }, browser);
      const page = await browser.get(asked.headers.location ?? '');
      const answered = await browser.post('/login', {
        ...hiddenFields(page.body),
        loginName: user.loginName,
        password: PASSWORD,
      });
      expect(redirected(answered).has(outcome)).toBe(true);
      if (outcome === 'error') expectRedirectedError(answered, 'login_required');
    }
  });
});

describe('an id_token_hint that we did not sign (S034)', () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

  it.each<[string, () => string | Promise<string>]>([
    ['garbage', () => 'garbage'],
    ['three empty parts', () => '..'],
    ['no JSON', () => 'bm8.bm8.bm8'],
    ['a JSON header that is no object', () => `${base64([1])}.${base64({})}.x`],
    ['alg none', () => resigned({ alg: 'none' }, () => '')],
    [
      'alg none under our kid',
      () => resigned({ alg: 'none', kid: decodeProtectedHeader(adasToken).kid }, () => ''),
    ],
    ['no kid', () => resigned({ alg: 'RS256' }, () => 'x')],
    ['an unknown kid', () => resigned({ alg: 'RS256', kid: 'A'.repeat(22) }, () => 'x')],
    ['a kid with a NUL', () => resigned({ alg: 'RS256', kid: 'a\u0000' }, () => 'x')],
    ['a kid that is no text', () => resigned({ alg: 'RS256', kid: { a: 1 } }, () => 'x')],
    ['a kid that is a list', () => resigned({ alg: 'RS256', kid: ['a'] }, () => 'x')],
    ['a kid that is a path', () => resigned({ alg: 'RS256', kid: '../../etc/passwd' }, () => 'x')],
    [
      'HS256 keyed with the public key',
      async () => {
        const { keys } = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
        const key = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
        const pem = key.export({ type: 'spki', format: 'pem' });
        return resigned({ alg: 'HS256', kid: keys[0]?.kid }, (input) =>
          createHmac('sha256', pem).update(input).digest('base64url'),
        );
      },
    ],
    [
      'HS256 keyed with the client secret',
      () =>
        resigned({ alg: 'HS256', kid: decodeProtectedHeader(adasToken).kid }, (input) =>
          createHmac('sha256', client.clientSecret).update(input).digest('base64url'),
        ),
    ],
    [
      'a stranger’s key under our kid',
      () =>
        new SignJWT(decodeJwt(adasToken))
          .setProtectedHeader({ alg: 'RS256', kid: decodeProtectedHeader(adasToken).kid ?? '' })
          .sign(stranger.privateKey),
    ],
    [
      'a stranger’s key in the header',
      () =>
        new SignJWT(decodeJwt(adasToken))
          .setProtectedHeader({ alg: 'RS256', jwk: stranger.publicKey.export({ format: 'jwk' }) })
          .sign(stranger.privateKey),
    ],
    [
      'another algorithm of the same key',
      () =>
        resigned({ ...decodeProtectedHeader(adasToken), alg: 'PS256' }, () => adasToken.split('.')[2] ?? ''),
    ],
    [
      'another payload under our signature',
      () =>
        resigned(decodeProtectedHeader(adasToken), () => adasToken.split('.')[2] ?? '', { sub: eve.userId }),
    ],
    ['a signature cut short', () => adasToken.slice(0, -4)],
    ['a signature made longer', () => `${adasToken}AAAA`],
    [
      'an unknown critical header',
      () => resigned({ ...decodeProtectedHeader(adasToken), crit: ['x'], x: 1 }, () => 'x'),
    ],
    ['20 kB', () => 'a'.repeat(20_000)],
    ['an access token, which is signed by the same key', () => jwtAccessToken],
  ])('%s', async (_name, make) => {
    const hint = await make();
    for (const prompt of ['none', 'login', '']) {
      const response = await ask(hint, { prompt });
      expect(expectRedirectedError(response, 'invalid_request')).toMatch(/^id_token_hint /);
    }
  });
});
