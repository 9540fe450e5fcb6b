import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { basic, obtainTokens, redemption } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectNoInsides, expectOAuthError, expectPageHeaders } from './support/answers.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let accessToken: string;

const { api, world } = useWorld();
const client = given(() => anApplication(world));
beforeAll(async () => {
  accessToken = (await obtainTokens(api, client, await aUser(world))).access_token;
});

describe('a path with the wrong method', () => {
  it.each([
    ['GET', '/oauth/v2/token', 'POST'],
    ['DELETE', '/oauth/v2/token', 'POST'],
    ['HEAD', '/oauth/v2/token', 'POST'],
    ['OPTIONS', '/oauth/v2/token', 'POST'],
    ['POST', '/oauth/v2/keys', 'GET, HEAD'],
    ['POST', '/.well-known/openid-configuration', 'GET, HEAD'],
    ['PUT', '/oidc/v1/userinfo', 'GET, HEAD, POST'],
  ] as const)('%s %s is a 405 that names what is served', async (method, url, allow) => {
    const response = await api.app.inject({ method, url });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(response.headers['cache-control']).toBe('no-store');
    if (method !== 'HEAD') expect(response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it.each([
    ['PUT', '/oauth/v2/authorize', 'GET, HEAD, POST'],
    ['DELETE', '/oidc/v1/end_session', 'GET, HEAD, POST'],
    ['PUT', '/login', 'GET, HEAD, POST'],
    ['PUT', '/logout', 'GET, HEAD, POST'],
  ] as const)('%s %s is a page, because people open these', async (method, url, allow) => {
    const response = await api.app.inject({ method, url });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expectPageHeaders(response);
  });
});

describe('a path that the router itself refuses', () => {
  it.each([
    ['/oauth/v2/%ff', 400, { error: 'invalid_request', error_description: 'the URL is malformed' }],
    ['/management/v1/users/%ff', 400, { code: 3, message: 'the URL is malformed' }],
    [`/management/v1/users/${'a'.repeat(700)}`, 404, { code: 5, message: 'Not Found' }],
  ])('%s is told in its own family', async (url, status, body) => {
    const response = await api.app.inject({ url });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual(body);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('a path that is not served', () => {
  it.each(['/nothing', '/v', '/oauthorize', '/login/../nothing', '/assets/nothing.css'])(
    '%s is a 404 page',
    async (url) => {
      const response = await api.app.inject(url);
      expect(response.statusCode).toBe(404);
      expectPageHeaders(response);
      expectNoInsides(response);
    },
  );

  it.each([
    '/oauth/v2/introspection',
    '/oauth/v2/token/x',
    '/oauth/v1/token',
    '/oidc/v1/token',
    '/oidc/v1/userinfo/x',
    '/oauth',
    '/.well-known/oauth-authorization-server',
    '/management/v2/users',
    '/admin/v2/orgs',
    '/auth/v2/users/me',
    '/management?x=1',
    '/v2/users/human',
    '/v2beta/users/1',
  ])('%s is a 404 in JSON for whoever calls it, and a page for whoever opens it', async (url) => {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const response = await api.app.inject({ method, url, headers: { accept: '*/*' } });
      expect(response.statusCode).toBe(404);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.json()).toEqual({ code: 5, message: 'Not Found' });
    }
    const page = await api.app.inject({
      url,
      headers: { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' },
    });
    expect(page.statusCode).toBe(404);
    expectPageHeaders(page);
  });

  it('any other path is one in JSON for whoever asks for that, or sends it', async () => {
    const asks = await api.app.inject({ url: '/nothing', headers: { accept: 'application/json' } });
    const headers = { 'content-type': 'application/json' };
    const sends = await api.app.inject({ method: 'POST', url: '/nothing', headers, payload: '{}' });
    for (const response of [asks, sends]) {
      expect(response.statusCode).toBe(404);
      expect(response.json()).toEqual({ code: 5, message: 'Not Found' });
    }
  });

  it('is always one in JSON where the API is, whatever is asked for', async () => {
    const headers = { accept: 'text/html' };
    const response = await api.app.inject({ url: '/management/v1/nothing', headers });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ code: 5, message: 'Not Found' });
  });

  // whatever a proxy may make of these, here they are either the route itself or nothing (S003)
  it.each([
    '/oidc/v1/userinfo/',
    '//oidc/v1/userinfo',
    '/oidc;x=1/v1/userinfo',
    '/oidc/v1;x/userinfo',
    '/OIDC/v1/userinfo',
    '/oidc/v1/userinfo.',
    '/oidc/v1/userinfo%00',
    '/oidc/v1/userinfo%20',
    '/oidc/v1/%2e%2e/v1/userinfo',
    '/auth/v1/../../oidc/v1/userinfo',
    '/%6Fidc/v1/userinfo',
    '/oidc%2Fv1%2Fuserinfo',
    '/oidc\\v1\\userinfo',
  ])('%s gives nobody an answer without a token', async (url) => {
    const bare = await api.app.inject({ url });
    expect([400, 401, 404]).toContain(bare.statusCode);
    const authorized = await api.app.inject({ url, headers: { authorization: `Bearer ${accessToken}` } });
    expect([200, 400, 404]).toContain(authorized.statusCode);
    expectNoInsides(bare);
  });

  it.each(['/%', '/%E0%A4%A', '/oauth/v2/%zz', `/assets/${'a'.repeat(5000)}`, '/oauth/v2/token%'])(
    'a malformed path such as %s is the sender’s fault',
    async (url) => {
      const response = await api.app.inject({ url });
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.statusCode).toBeLessThan(500);
      expectNoInsides(response);
    },
  );
});

describe('parameters where they do not belong', () => {
  it('are refused in the query of the token endpoint (S067)', async () => {
    const response = await postForm(
      api,
      `/oauth/v2/token?${new URLSearchParams(redemption('Marker-code')).toString()}`,
      '',
      basic(client),
    );
    expect(expectOAuthError(response, 400, 'invalid_request')).toContain('not in the query');
  });

  it('are not read from the query: a token there authorizes nobody (S012, S119)', async () => {
    for (const url of [
      `/oidc/v1/userinfo?access_token=${accessToken}`,
      `/oidc/v1/userinfo?authorization=Bearer%20${accessToken}`,
      `/management/v1/users/1?access_token=${accessToken}`,
    ]) {
      expect((await api.app.inject(url)).statusCode, url).toBe(401);
    }
    const posted = await api.app.inject({
      method: 'POST',
      url: `/oidc/v1/userinfo?access_token=${accessToken}`,
      headers: FORM,
      payload: '',
    });
    expect(posted.statusCode).toBe(401);
  });
});
