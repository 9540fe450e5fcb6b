import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aReplica, useReplica, type TestApi } from '../../support/api.js';
import { anApplication, aPublicApplication, type TestClient } from '../../support/applications.js';
import { anAssertingApplication, asserted } from '../../support/assertions.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  pkce,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { API_SCOPE } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError, expectRedirectedError } from './support/answers.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

async function push(
  parameters: Record<string, string>,
  headers: Record<string, string> = basic(client),
  at: TestApi = api,
): Promise<LightMyRequestResponse> {
  return await postForm(at, '/oauth/v2/par', parameters, headers);
}

/** The name of a request that was found good. */
async function pushed(
  parameters: Record<string, string> = codeRequest(client),
  headers: Record<string, string> = basic(client),
): Promise<string> {
  const response = await push(parameters, headers);
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json<{ request_uri: string }>().request_uri;
}

function named(requestUri: string, of: TestClient = client): Record<string, string> {
  return { client_id: of.clientId, request_uri: requestUri };
}

/** The page of a request that nobody can be sent back from. */
function expectOver(response: LightMyRequestResponse): void {
  expectErrorPage(response, 400, 'This sign-in has expired');
}

describe('the endpoint for pushed requests', () => {
  it('answers a name that is good for a while (RFC 9126 §2.2)', async () => {
    const response = await push(codeRequest(client));
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(response.json()).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/) as string,
      expires_in: 90,
    });
  });

  it('takes the request of a client that says who it is in any way that it is registered for', async () => {
    const { client_id: _, ...request } = codeRequest(client);
    expect((await push(request)).statusCode).toBe(201);
    const open = await aPublicApplication(world);
    expect((await push({ ...codeRequest(open), ...pkce().challenge }, {})).statusCode).toBe(201);
    const signing = await anAssertingApplication(world);
    const byKey = { ...codeRequest(signing), ...(await asserted(signing)) };
    expect((await push(byKey, {})).statusCode).toBe(201);
  });

  it('keeps no credential of the client', async () => {
    const posting = await anApplication(world, { authMethod: 'client_secret_post' });
    await pushed({ ...codeRequest(posting), client_secret: posting.clientSecret }, {});
    const { rows } = await api.sql.query<{ text: string }>(`SELECT p::text AS text FROM pushed_requests p`);
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toContain(posting.clientSecret);
  });

  it('refuses a client that it does not know, one with a wrong secret, and two ways at once', async () => {
    const wrong = { ...client, clientSecret: 'wrong' };
    expectOAuthError(await push(codeRequest(client), basic(wrong)), 401, 'invalid_client');
    expectOAuthError(await push(codeRequest(client), {}), 401, 'invalid_client');
    expectOAuthError(await push({ ...codeRequest(client), client_secret: 'x' }), 400, 'invalid_request');
    const other = await anApplication(world);
    expectOAuthError(await push(codeRequest(other)), 401, 'invalid_client');
  });

  it.each<[string, Record<string, string>, string]>([
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.test/cb' }, 'invalid_request'],
    ['no redirect URI', { redirect_uri: '' }, 'invalid_request'],
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['a response type that is not enabled', { response_type: 'id_token' }, 'unauthorized_client'],
    ['a scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['the audience of the APIs, which it was not given', { scope: `openid ${API_SCOPE}` }, 'invalid_scope'],
    ['PKCE by plain', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['a hint that is no ID token', { id_token_hint: 'x.y.z' }, 'invalid_request'],
    ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
    [
      'another pushed request',
      { request_uri: `urn:ietf:params:oauth:request_uri:${'x'.repeat(43)}` },
      'invalid_request',
    ],
    ['an address to fetch', { request_uri: 'https://rp.test/request.jwt' }, 'invalid_request'],
  ])('tells the client of %s', async (_name, changes, error) => {
    expectOAuthError(await push(codeRequest(client, changes)), 400, error);
  });

  it('refuses a repeated parameter, parameters in the query, and other methods', async () => {
    const form = new URLSearchParams(codeRequest(client));
    form.append('scope', 'openid');
    expectOAuthError(await postForm(api, '/oauth/v2/par', form, basic(client)), 400, 'invalid_request');
    const query = `/oauth/v2/par?${new URLSearchParams(codeRequest(client)).toString()}`;
    expectOAuthError(await postForm(api, query, '', basic(client)), 400, 'invalid_request');
    const get = await api.app.inject('/oauth/v2/par');
    expect(get.statusCode).toBe(405);
    expect(get.headers.allow).toBe('POST');
    expect(get.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('takes no more than a form may have', async () => {
    const response = await push(codeRequest(client, { claims: 'x'.repeat(70_000) }));
    expectOAuthError(response, 400, 'invalid_request');
  });

  it('counts what is pushed without a secret by address, and what is pushed with one by client', async () => {
    const busy = await aReplica(api, { RATE_LIMIT_FLOW: '2' });
    const open = await aPublicApplication(world);
    const request = { ...codeRequest(open), ...pkce().challenge };
    const statuses: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) statuses.push((await push(request, {}, busy)).statusCode);
    expect(statuses).toEqual([201, 201, 429, 429]);
    expect((await push(codeRequest(client), basic(client), busy)).statusCode).toBe(201);
    const refused = await push(request, {}, busy);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });
});

describe('a pushed request', () => {
  it('signs somebody in as the same request by the browser would', async () => {
    const { verifier, challenge } = pkce();
    const requestUri = await pushed(codeRequest(client, { ...challenge, login_hint: user.loginName }));
    const browser = new TestBrowser(replica);
    const answered = await browser.signIn(named(requestUri), user);
    const answer = redirected(answered);
    expect(answer.get('state')).toBe('Marker-state');
    const tokens = await requestToken(
      api,
      redemption(answer.get('code') ?? '', { code_verifier: verifier }),
      basic(client),
    );
    expect(tokens.statusCode).toBe(200);
    expect(tokens.json()).toMatchObject({ token_type: 'Bearer' });
  });

  it('is answered at once in a browser that is signed in', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    const requestUri = await pushed(codeRequest(client, { prompt: 'none', response_mode: 'query' }));
    expect(redirected(await browser.get(authorizeUrl(named(requestUri)))).get('code')).not.toBeNull();
  });

  it('is not used up by a browser that has to come again', async () => {
    const busy = await aReplica(api, { RATE_LIMIT_FLOW: '1' });
    expect((await busy.app.inject(authorizeUrl(named(await pushed())))).statusCode).toBe(302);
    const requestUri = await pushed(codeRequest(client, { login_hint: user.loginName }));
    const expiries = async () =>
      (
        await api.sql.query<{ expires_at: Date }>(
          'SELECT expires_at FROM pushed_requests ORDER BY expires_at',
        )
      ).rows;
    const before = await expiries();
    for (let times = 0; times < 2; times += 1) {
      const refused = await busy.app.inject(authorizeUrl(named(requestUri)));
      expect(refused.statusCode).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    // and lasts no longer for it
    expect(await expiries()).toEqual(before);
    const answered = await new TestBrowser(api).signIn(named(requestUri), user);
    expect(redirected(answered).get('code')).not.toBeNull();
    expect((await busy.app.inject(authorizeUrl(named(requestUri)))).statusCode).toBe(400);
  });

  it('travels by a form as well', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    const requestUri = await pushed();
    const answered = await browser.post('/oauth/v2/authorize', named(requestUri));
    expect(redirected(answered).get('code')).not.toBeNull();
  });

  it('tells the application what comes of it later', async () => {
    const requestUri = await pushed(codeRequest(client, { prompt: 'none' }));
    expectRedirectedError(await new TestBrowser(api).get(authorizeUrl(named(requestUri))), 'login_required');
  });

  it('is good once, on every replica, and for one of several who come at once (S250)', async () => {
    const requestUri = await pushed();
    const url = authorizeUrl(named(requestUri));
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => new TestBrowser(nth % 2 === 0 ? api : replica).get(url)),
    );
    expect(all.filter(({ statusCode }) => statusCode === 302)).toHaveLength(1);
    for (const one of all.filter(({ statusCode }) => statusCode !== 302)) expectOver(one);
    expectOver(await new TestBrowser(replica).get(url));
  });

  it('lets its sign-in page be loaded again', async () => {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(named(await pushed())));
    const page = begun.headers.location ?? '';
    await browser.get(page);
    const fields = hiddenFields((await browser.get(page)).body);
    const answered = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    expect(redirected(answered).get('code')).not.toBeNull();
  });

  it('goes on where its browser loads its address again, until it is answered (S250)', async () => {
    const url = authorizeUrl(named(await pushed()));
    const browser = new TestBrowser(api);
    await browser.get(url);
    const again = await new TestBrowser(replica).get(url);
    expectOver(again);
    const resumed = await browser.get(url);
    expect(resumed.headers.location).toMatch(/^\/login\?flow=/);
    const other = await anApplication(world);
    const { request_uri = '' } = Object.fromEntries(new URL(url, 'https://id.test').searchParams);
    expectOver(await browser.get(authorizeUrl(named(request_uri, other))));
    const answered = await browser.signIn(named(request_uri), user);
    expect(redirected(answered).get('code')).not.toBeNull();
    expectOver(await browser.get(url));
  });

  it('goes on for no longer than its name is good for (S250)', async () => {
    const url = authorizeUrl(named(await pushed()));
    const browser = new TestBrowser(api);
    await browser.get(url);
    await api.advance(95);
    await replica.advance(95);
    expectOver(await browser.get(url));
  });

  it('is not begun again from the page of its sign-in that is over (S391)', async () => {
    const leading = await anApplication(world, { initiateLoginUri: 'https://rp.test/start?from=id' });
    for (const application of [client, leading]) {
      const requestUri = await pushed(codeRequest(application), basic(application));
      const browser = new TestBrowser(api);
      const begun = await browser.get(authorizeUrl(named(requestUri, application)));
      const page = await browser.get(begun.headers.location ?? '');
      const { flow = '', ...hidden } = hiddenFields(page.body);
      const fields = { ...hidden, flow, loginName: user.loginName, password: PASSWORD };
      expect(redirected(await browser.post('/login', fields)).get('code')).not.toBeNull();
      const over = await browser.post('/login', fields);
      const again = await browser.get(`/login/again?flow=${flow}`);
      const elsewhere = await new TestBrowser(replica).get(`/login/again?flow=${flow}`);
      for (const shown of [over, again, elsewhere]) {
        expectOver(shown);
        // but by the links to the page's languages
        expect(shown.body).not.toMatch(/\/login\/again\?flow=[\w-]+"/);
        const beginning = 'https://rp.test/start?from=id&amp;iss=';
        if (application === leading) expect(shown.body).toContain(beginning);
        else expect(shown.body).toContain('Go back to the application');
      }
    }
  });

  it('is not for another client, and stays good for its own (S250)', async () => {
    const other = await anApplication(world);
    const requestUri = await pushed();
    expectOver(await new TestBrowser(api).get(authorizeUrl(named(requestUri, other))));
    const begun = await new TestBrowser(api).get(authorizeUrl(named(requestUri)));
    expect(begun.headers.location).toMatch(/^\/login/);
  });

  it('ends after its time (S250)', async () => {
    const requestUri = await pushed();
    await api.advance(91);
    await replica.advance(91);
    expectOver(await new TestBrowser(api).get(authorizeUrl(named(requestUri))));
  });

  it('is what was pushed: nothing that the browser brings beside its name counts (S250)', async () => {
    const browser = await aSignedInBrowser(api, client, user);
    const requestUri = await pushed(codeRequest(client, { prompt: 'none' }));
    const url = authorizeUrl({
      ...codeRequest(client, {
        redirect_uri: 'https://evil.test/cb',
        state: 'another',
        scope: 'nothing',
        response_type: 'id_token token',
        prompt: 'login',
        request: 'x.y.z',
      }),
      ...named(requestUri),
    });
    const answered = await browser.get(url);
    expect(answered.headers.location).toMatch(/^https:\/\/rp\.test\/cb\?/);
    expect(redirected(answered).get('state')).toBe('Marker-state');
    expect(redirected(answered).get('code')).not.toBeNull();
  });

  it.each([
    ['a name that nobody made', `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`],
    ['a name of another form', 'urn:ietf:params:oauth:request_uri:\u0000'],
  ])('is not %s', async (_name, requestUri) => {
    expectOver(await new TestBrowser(api).get(authorizeUrl(named(requestUri))));
  });

  it('is not for a client that cannot be', async () => {
    const client_id = 'x\u0000y';
    expectOver(await api.app.inject(authorizeUrl({ client_id, request_uri: await pushed() })));
  });

  it('needs its client named once', async () => {
    const requestUri = await pushed();
    const bare = authorizeUrl({ request_uri: requestUri });
    expectErrorPage(await api.app.inject(bare), 400, 'client_id');
    const twice = `${authorizeUrl(named(requestUri))}&client_id=${client.clientId}`;
    expectErrorPage(await api.app.inject(twice), 400, 'client_id');
  });

  it('ends with what its owner takes away', async () => {
    const closing = await anApplication(world);
    const requestUri = await pushed(codeRequest(closing), basic(closing));
    await api.sql.query(`UPDATE applications SET redirect_uris = '{}' WHERE id = $1`, [closing.id]);
    expectOver(await new TestBrowser(api).get(authorizeUrl(named(requestUri, closing))));
  });
});

describe('a program that looks whether a link is there', () => {
  it('gets no answer, and leaves the pushed request to the person', async () => {
    const requestUri = await pushed();
    const url = authorizeUrl(named(requestUri));
    const looked = await api.app.inject({ method: 'HEAD', url });
    expect(looked.statusCode).toBe(405);
    expect(looked.headers['allow']).toBe('GET, POST');
    const answered = await new TestBrowser(api).signIn(named(requestUri), user);
    expect(redirected(answered).get('code')).not.toBeNull();
  });
});

describe('an application that pushes all its requests', () => {
  const strict = given(() => anApplication(world, { requirePushedAuthorizationRequests: true }));

  it('is refused any other, and told so', async () => {
    const response = await new TestBrowser(api).get(authorizeUrl(codeRequest(strict)));
    expect(expectRedirectedError(response, 'invalid_request')).toContain('push');
  });

  it('is not answered what began in a browser before it had to push (S493)', async () => {
    const late = await anApplication(world);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(late));
    await api.sql.query(
      `UPDATE applications SET require_pushed_authorization_requests = true WHERE id = $1`,
      [late.id],
    );
    const form = { ...fields, loginName: user.loginName, password: PASSWORD };
    expectErrorPage(await browser.post('/login', form), 400);
    expectErrorPage(await new TestBrowser(api).get(`/login/again?flow=${fields['flow'] ?? ''}`), 400);
  });

  it('is answered what it pushed', async () => {
    const requestUri = await pushed(codeRequest(strict), basic(strict));
    const answered = await new TestBrowser(api).signIn(named(requestUri, strict), user);
    expect(redirected(answered).get('code')).not.toBeNull();
  });
});

describe('addresses of request objects', () => {
  // never fetched, whatever they name (S251)
  it.each([
    'https://rp.test/request.jwt',
    'http://127.0.0.1:9464/metrics',
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'urn:other',
  ])('%s is refused as it always was', async (requestUri) => {
    const url = authorizeUrl(codeRequest(client, { request_uri: requestUri }));
    expectRedirectedError(await api.app.inject(url), 'request_uri_not_supported');
  });
});
