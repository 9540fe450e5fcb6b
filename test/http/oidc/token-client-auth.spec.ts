import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../../src/domain/shared/random.js';
import { RateLimiter } from '../../../src/domain/shared/rate-limiter.js';
import { anApplication, aPublicApplication, type TestClient } from '../../support/applications.js';
import {
  basic,
  codeRequest,
  pkce,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const { api, world } = useWorld();
const web = given(() => anApplication(world));
const post = given(() => anApplication(world, { authMethod: 'client_secret_post' }));
const spa = given(() => aPublicApplication(world));
const user = given(() => aUser(world));
afterEach(() => {
  vi.restoreAllMocks();
});

/** A form that is good but for the client: whoever gets past authentication learns that the code is not. */
const FORM = redemption('Marker-code');
const header = (value: string) => ({ authorization: value });
const encode = (text: string) => Buffer.from(text).toString('base64');
const inBody = (client: TestClient, changes: Record<string, string> = {}) => ({
  ...FORM,
  client_id: client.clientId,
  client_secret: client.clientSecret,
  ...changes,
});

async function freshCode(client: TestClient, changes: Record<string, string> = {}): Promise<string> {
  const answered = await new TestBrowser(api).signIn(codeRequest(client, changes), user);
  return redirected(answered).get('code') ?? '';
}

describe('a client that is not authenticated (S063)', () => {
  it('looks the same: wrong secret, unknown, gone, of another method', async () => {
    const gone = await anApplication(world);
    await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE id = $1`, [gone.id]);
    const assertion = await anApplication(world, { authMethod: 'private_key_jwt' });
    const cases: Record<string, string>[] = [
      header(`Basic ${encode(`${web.clientId}:wrong`)}`),
      header(`Basic ${encode(`${web.clientId}:`)}`),
      header(`Basic ${encode(`123:${web.clientSecret}`)}`),
      header(`Basic ${encode(`__proto__:${web.clientSecret}`)}`),
      basic(gone),
      header(`Basic ${encode(`${post.clientId}:wrong`)}`),
      header(`Basic ${encode(`${assertion.clientId}:x`)}`),
    ];
    const bodies = new Set<string>();
    for (const headers of cases) {
      const response = await requestToken(api, FORM, headers);
      expectOAuthError(response, 401, 'invalid_client');
      expect(response.headers['www-authenticate']).toMatch(/^Basic realm="[^"]+"/);
      bodies.add(response.body);
    }
    for (const form of [
      inBody(post, { client_secret: 'wrong' }),
      inBody(post, { client_id: '123' }),
      inBody(post, { client_id: 'a\u0000b' }),
      inBody(post, { client_id: 'x'.repeat(20_000) }),
      inBody(web, { client_secret: 'wrong' }),
      { ...FORM, client_id: web.clientId },
      { ...FORM, client_id: post.clientId },
      { ...FORM, client_id: assertion.clientId },
      { ...FORM, client_id: 'nobody' },
    ]) {
      const response = await requestToken(api, form);
      expectOAuthError(response, 401, 'invalid_client');
      expect(response.headers).not.toHaveProperty('www-authenticate');
      bodies.add(response.body);
    }
    expect([...bodies]).toHaveLength(1);
  });

  it('is told so when it says nothing about itself', async () => {
    const response = await requestToken(api, FORM);
    expect(expectOAuthError(response, 401, 'invalid_client')).toBe('client authentication missing');
    // a browser that is challenged asks its user for a password (RFC 6749 §5.2: only where the header was tried)
    expect(response.headers).not.toHaveProperty('www-authenticate');
    const bearer = await requestToken(api, FORM, header('Bearer abc'));
    expect(bearer.headers).not.toHaveProperty('www-authenticate');
  });

  it('is refused before its code or refresh token is looked at', async () => {
    const code = await freshCode(web);
    const wrong = header(`Basic ${encode(`${web.clientId}:wrong`)}`);
    expectOAuthError(await requestToken(api, redemption(code), wrong), 401, 'invalid_client');
    expect((await requestToken(api, redemption(code), basic(web))).statusCode).toBe(200);
  });
});

describe('the Authorization header (S066)', () => {
  it.each([
    ['bad base64', 'Basic %%%'],
    ['base64url', 'Basic YWJj_w'],
    ['no credentials', 'Basic'],
    ['no credentials but a space', 'Basic '],
    ['no colon', `Basic ${encode('no-colon')}`],
    ['an empty id', `Basic ${encode(':secret')}`],
    ['only a colon', `Basic ${encode(':')}`],
    ['a broken escape', `Basic ${encode('%zz:secret')}`],
    ['an escape that is no UTF-8', `Basic ${encode('%ff:secret')}`],
    ['a NUL by escape', `Basic ${encode('%00:secret')}`],
    ['a NUL as it is', `Basic ${encode('a\u0000b:secret')}`],
    ['bytes that are no text', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
    ['two values', `Basic ${encode('a:b')}, Basic ${encode('c:d')}`],
    ['10 kB', `Basic ${encode(`${'a'.repeat(10_000)}:b`)}`],
    ['another scheme', 'Bearer abc'],
    ['Digest', 'Digest username="a"'],
    ['nothing', ''],
  ])('with %s is 401 and no fault of ours', async (_name, value) => {
    expectOAuthError(await requestToken(api, FORM, header(value)), 401, 'invalid_client');
    // a public client that sends the header as well has tried two ways
    const spaForm = { ...FORM, client_id: spa.clientId };
    expectOAuthError(await requestToken(api, spaForm, header(value)), 401, 'invalid_client');
  });

  it.each<[string, (id: string, secret: string) => string]>([
    [
      'form-encoded',
      (id, secret) => `Basic ${encode(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
    ],
    ['as they are', (id, secret) => `Basic ${encode(`${id}:${secret}`)}`],
    ['in other case', (id, secret) => `bAsIc ${encode(`${id}:${secret}`)}`],
    ['with more spaces', (id, secret) => `Basic   ${encode(`${id}:${secret}`)}`],
  ])('takes id and secret %s', async (_name, make) => {
    const response = await requestToken(api, FORM, header(make(web.clientId, web.clientSecret)));
    expectOAuthError(response, 400, 'invalid_grant');
  });

  it('takes reserved characters when they are form-encoded', async () => {
    const secret = 'a:b%c+d e&f=g/ü';
    const odd = await anApplication(world, { clientSecretHash: sha256(secret) });
    const encoded = new URLSearchParams({ '': secret }).toString().slice(1);
    const headers = header(`Basic ${encode(`${odd.clientId}:${encoded}`)}`);
    expectOAuthError(await requestToken(api, FORM, headers), 400, 'invalid_grant');
  });
});

describe('the method is the registered one (S064, S065)', () => {
  it.each<[string, () => [Record<string, string>, Record<string, string>]]>([
    ['registered for the header, in the body', () => [inBody(web), {}]],
    ['registered for the body, in the header', () => [FORM, basic(post)]],
  ])('but a secret is good in both ways: %s', async (_name, make) => {
    const [form, headers] = make();
    expectOAuthError(await requestToken(api, form, headers), 400, 'invalid_grant');
  });

  it('a public client authenticates by its code, not by a secret', async () => {
    const { verifier, challenge } = pkce();
    const code = await freshCode(spa, challenge);
    const form = redemption(code, { client_id: spa.clientId, code_verifier: verifier });
    const refused = await requestToken(api, { ...form, client_secret: 'x' });
    expect(expectOAuthError(refused, 401, 'invalid_client')).toBe(
      'the application is registered for the authentication method none',
    );
    expect((await requestToken(api, { ...form, client_secret: '' })).statusCode).toBe(200);
  });

  it('a confidential client cannot leave its secret out, PKCE or not', async () => {
    const { verifier, challenge } = pkce();
    const code = await freshCode(web, challenge);
    const form = redemption(code, { client_id: web.clientId, code_verifier: verifier });
    expectOAuthError(await requestToken(api, form), 401, 'invalid_client');
    expect((await requestToken(api, form, basic(web))).statusCode).toBe(200);
  });
});

describe('more than one mechanism', () => {
  it.each<[string, () => Record<string, string>, () => Record<string, string>]>([
    ['header and secret in the body', () => inBody(web), () => basic(web)],
    ['header and an assertion', () => ({ ...FORM, client_assertion: 'a.b.c' }), () => basic(web)],
    ['secret and an assertion', () => inBody(post, { client_assertion: 'a.b.c' }), () => ({})],
    ['header and an assertion type', () => ({ ...FORM, client_assertion_type: 'urn:x' }), () => basic(web)],
  ])('%s is invalid_request', async (_name, form, headers) => {
    expectOAuthError(await requestToken(api, form(), headers()), 400, 'invalid_request');
  });

  it('an id in the body must be the one of the header', async () => {
    const same = await requestToken(api, { ...FORM, client_id: web.clientId }, basic(web));
    expectOAuthError(same, 400, 'invalid_grant');
    const other = await requestToken(api, { ...FORM, client_id: spa.clientId }, basic(web));
    expectOAuthError(other, 401, 'invalid_client');
  });

  it('an assertion does not pass for `none`', async () => {
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    for (const assertion of [{ client_assertion: 'a.b.c' }, { client_assertion_type: type }]) {
      const form = { ...FORM, client_id: spa.clientId, ...assertion };
      expectOAuthError(await requestToken(api, form), 401, 'invalid_client');
    }
  });
});

describe('failures that look like guessing', () => {
  it('are counted by who failed, and successes are not', async () => {
    const hit = vi.spyOn(api.app.get(RateLimiter, { strict: false }), 'hit');
    await requestToken(api, FORM, basic(web)); // invalid_grant
    await requestToken(api, FORM, header(`Basic ${encode(`${web.clientId}:wrong`)}`)); // invalid_client
    await requestToken(api, FORM, header('Basic x')); // invalid_client of nobody
    await requestToken(api, { grant_type: 'x' }, basic(web)); // an honest mistake
    expect((await requestToken(api, redemption(await freshCode(web)), basic(web))).statusCode).toBe(200);
    const counted = hit.mock.calls.filter(([rule]) => rule.startsWith('token-'));
    expect(counted.map(([rule, source]) => [rule, source])).toEqual([
      ['token-client', web.clientId],
      ['token-address', '127.0.0.1'],
      ['token-named', expect.stringMatching(/^127\.0\.0\.1 [\w-]{22}$/)],
      ['token-nameless', '127.0.0.1'],
    ]);
  });

  it('are told when to come back, and what is right is answered all the same', async () => {
    const limiter = api.app.get(RateLimiter, { strict: false });
    vi.spyOn(limiter, 'hit').mockResolvedValue({ allowed: false, retryAfterSeconds: 41 });
    const response = await requestToken(api, FORM, basic(web));
    expect(response.headers['retry-after']).toBe('41');
    expectOAuthError(response, 429, 'temporarily_unavailable');
    vi.restoreAllMocks();
    const code = await freshCode(web);
    vi.spyOn(limiter, 'hit').mockResolvedValue({ allowed: false, retryAfterSeconds: 41 });
    expect((await requestToken(api, redemption(code), basic(web))).statusCode).toBe(200);
  });
});
