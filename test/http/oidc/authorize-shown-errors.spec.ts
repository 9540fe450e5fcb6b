import { beforeAll, describe, expect, it } from 'vitest';
import { anApplication, REDIRECT_URI } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  codeRequest,
  pkce,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectErrorPage } from './support/answers.js';

// Phase one of the authorization endpoint: until client and redirect URI are verified, nobody is sent anywhere.

const { api, world } = useWorld();
const client = given(() =>
  anApplication(world, { redirectUris: [REDIRECT_URI, 'https://rp.test/cb?tenant=1'] }),
);
beforeAll(async () => {
  await anApplication(world, { redirectUris: ['https://other.test/cb'] });
});

async function ask(changes: Record<string, string>, browser = new TestBrowser(api)) {
  return await browser.get(authorizeUrl(codeRequest(client, changes)));
}

describe('a client that is not verified', () => {
  it.each([
    ['missing', { client_id: '' }, 'client_id is missing'],
    ['unknown', { client_id: '123' }, 'client_id is unknown'],
    ['with a NUL', { client_id: '12\u00003' }, 'client_id is unknown'],
    ['very long', { client_id: '1'.repeat(10_000) }, 'client_id is unknown'],
    ['named like a built-in', { client_id: '__proto__' }, 'client_id is unknown'],
    ['an injection', { client_id: "' OR 1=1 --" }, 'client_id is unknown'],
  ])('%s', async (_name, changes, text) => {
    expectErrorPage(await ask(changes), 400, text);
  });

  it('given twice', async () => {
    const url = `${authorizeUrl(codeRequest(client))}&client_id=${client.clientId}`;
    expectErrorPage(await api.app.inject(url), 400, 'client_id must not be repeated');
  });

  it.each(['applications', 'projects', 'organizations'])('switched off by its %s', async (table) => {
    const own = await anOrganization(api);
    const dormant = await anApplication(own);
    const id = { applications: dormant.id, projects: own.projectId, organizations: own.orgId }[table];
    await api.sql.query(`UPDATE ${table} SET state = 'inactive' WHERE id = $1`, [id]);
    expectErrorPage(await api.app.inject(authorizeUrl(codeRequest(dormant))), 400, 'client_id');
  });
});

describe('a redirect URI that is not verified (S019–S022)', () => {
  it.each([
    ['missing', ''],
    ['not registered', 'https://evil.test/cb'],
    ['of another client', 'https://other.test/cb'],
    ['a longer host', 'https://rp.test.evil.test/cb'],
    ['the host as user name', 'https://rp.test@evil.test/cb'],
    ['the URI as a path', 'https://evil.test/https://rp.test/cb'],
    ['a port as password', 'https://rp.test:80@evil.test'],
    ['another port', 'https://rp.test:8443/cb'],
    ['the default port written out', 'https://rp.test:443/cb'],
    ['http', 'http://rp.test/cb'],
    ['a parent folder', 'https://rp.test/cb/../evil'],
    ['an encoded parent folder', 'https://rp.test/cb/..%2fevil'],
    ['a doubly encoded one', 'https://rp.test/cb%252f..'],
    ['a matrix parameter', 'https://rp.test/cb/..;/evil'],
    ['a dot', 'https://rp.test/cb/./'],
    ['a slash at the end', 'https://rp.test/cb/'],
    ['no scheme', '//rp.test/cb'],
    ['a path only', '/cb'],
    ['two slashes', '//cb'],
    ['a longer path', 'https://rp.test/cbx'],
    ['a query of its own', 'https://rp.test/cb?x=1'],
    ['another order of the query', 'https://rp.test/cb?tenant=1&x'],
    ['a fragment', 'https://rp.test/cb#x'],
    ['an empty fragment', 'https://rp.test/cb#'],
    ['other case', 'https://RP.test/cb'],
    ['other case of the scheme', 'HTTPS://rp.test/cb'],
    ['other case of the path', 'https://rp.test/CB'],
    ['a backslash', 'https://rp.test\\@evil.test'],
    ['one slash and a backslash', 'https:/\\evil.test'],
    ['a tab', 'https://rp.test/\tcb'],
    ['a line break', 'https://rp.test/cb\r\nSet-Cookie: a=b'],
    ['a NUL', 'https://rp.test/cb\u0000'],
    ['a space in front', ' https://rp.test/cb'],
    ['a space behind', 'https://rp.test/cb '],
    ['a homoglyph', 'https://rр.test/cb'],
    ['an IDN', 'https://xn--r-0ib.test/cb'],
    ['a full-width dot', 'https://rp。test/cb'],
    ['12 kB', `https://rp.test/${'a'.repeat(12_000)}`],
    ['a script', 'javascript:alert(1)//https://rp.test/cb'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a VB script', 'vbscript:msgbox(1)'],
    ['a wildcard', 'https://*.test/cb'],
    ['something nearly equal by encoding', 'https://rp.test/%63b'],
  ])('%s', async (_name, uri) => {
    const response = await ask({ redirect_uri: uri });
    expectErrorPage(response, 400, 'redirect_uri');
    if (uri !== '') expect(response.body).not.toContain(uri);
  });

  it('given twice', async () => {
    const url = `${authorizeUrl(codeRequest(client))}&redirect_uri=https://evil.test`;
    expectErrorPage(await api.app.inject(url), 400, 'redirect_uri must not be repeated');
  });

  // the faults that would travel stay here as well while the redirect URI is not verified
  it('comes before every other fault, and before the session', async () => {
    const user = await aUser(world);
    const browser = await aSignedInBrowser(api, client, user);
    for (const changes of [
      { response_type: '' },
      { scope: 'profile' },
      { prompt: 'none' },
      { request: 'eyJ' },
      { response_mode: 'form_post' },
    ]) {
      const response = await ask({ redirect_uri: 'https://evil.test/', ...changes }, browser);
      expectErrorPage(response, 400, 'redirect_uri');
    }
  });

  it('is matched with its own query, which stays as it is', async () => {
    const response = await ask({ redirect_uri: 'https://rp.test/cb?tenant=1', prompt: 'none' });
    expect(response.headers.location).toMatch(/^https:\/\/rp\.test\/cb\?tenant=1&error=login_required&/);
  });
});

describe('the redirect URIs of a native application (S024)', () => {
  const native = given(() =>
    anApplication(world, {
      appType: 'native',
      authMethod: 'none',
      redirectUris: [
        'http://127.0.0.1/cb',
        'http://[::1]:9000/cb',
        'http://localhost:9000/named',
        'com.example.app:/cb',
      ],
    }),
  );

  async function askNative(uri: string) {
    const request = codeRequest(native, { redirect_uri: uri, prompt: 'none', ...pkce().challenge });
    return await api.app.inject(authorizeUrl(request));
  }

  it.each([
    'http://127.0.0.1/cb',
    'http://127.0.0.1:5555/cb',
    'http://127.0.0.1:65535/cb',
    'http://[::1]:5555/cb',
    'http://localhost:5555/named',
    'com.example.app:/cb',
  ])('may be %s', async (uri) => {
    expect((await askNative(uri)).headers.location).toMatch(`${uri}?error=login_required`);
  });

  it.each([
    'http://localhost:5555/cb',
    'http://127.0.0.1:5555/named',
    'http://localhost.evil.test:5555/named',
    'http://127.0.0.1.evil.test/cb',
    'http://127.0.0.1:5555@evil.test/cb',
    'http://127.0.0.1/cb?x',
    'http://127.0.0.1:5555/cb/',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:80a/cb',
    'http://127.0.0.2/cb',
    'http://127.1/cb',
    'https://127.0.0.1/cb',
    'http://[::1]:5555/cb#',
    'com.example.app:/other',
    'com.example.app://cb',
  ])('may not be %s', async (uri) => {
    expectErrorPage(await askNative(uri), 400, 'redirect_uri');
  });

  it('must be the same again at the token endpoint, port included', async () => {
    const { verifier, challenge } = pkce();
    const uri = 'http://127.0.0.1:5555/cb';
    const user = await aUser(world);
    const answered = await new TestBrowser(api).signIn(
      codeRequest(native, { redirect_uri: uri, ...challenge }),
      user,
    );
    const code = redirected(answered).get('code') ?? '';
    const form = redemption(code, { client_id: native.clientId, code_verifier: verifier });
    expect((await requestToken(api, { ...form, redirect_uri: 'http://127.0.0.1/cb' })).json()).toMatchObject({
      error: 'invalid_grant',
    });
    expect((await requestToken(api, { ...form, redirect_uri: uri })).statusCode).toBe(200);
  });
});
