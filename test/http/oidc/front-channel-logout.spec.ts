import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { OidcConfig } from '../../../src/domain/applications/oidc-config.js';
import { useReplica } from '../../support/api.js';
import { anApplication, POST_LOGOUT_URI, type TestClient } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  endSessionUrl,
  hiddenFields,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError, expectPageHeaders } from './support/answers.js';

// Applications hear of a logout by the browser, which loads an address of each of them in a frame of our page (OpenID Connect
// Front-Channel Logout 1.0).

const REGISTRATION = {
  CLIENT_REGISTRATION: 'token',
  RATE_LIMIT_REGISTRATION: '0',
  PAIRWISE_SUBJECTS: 'on',
};
const { api, world } = useWorld({ ...REGISTRATION, FRONT_CHANNEL_LOGOUT: 'on' });
const off = useReplica(api, REGISTRATION);
const user = given(() => aUser(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const hearingAt = async (frontChannelLogoutUri: string, changes: Partial<OidcConfig> = {}) =>
  await anApplication(world, { frontChannelLogoutUri, ...changes });
const first = given(() => hearingAt('https://rp.test/out'));
const second = given(() =>
  hearingAt('https://other.test:8443/out?from=us', { redirectUris: ['https://other.test:8443/cb'] }),
);
const deaf = given(() => anApplication(world));

/** Signs the browser's user in to an application. @returns the ID token */
async function enters(
  browser: TestBrowser,
  client: TestClient,
  redirect_uri: string,
  at = api,
): Promise<string> {
  const answered = await browser.get(authorizeUrl(codeRequest(client, { redirect_uri, prompt: 'none' })));
  const form = { ...redemption(redirected(answered).get('code') ?? ''), redirect_uri };
  return (await requestToken(at, form, basic(client))).json<{ id_token: string }>().id_token;
}

const toBye = (hint: string) =>
  endSessionUrl({ id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI, state: 'a"b&c' });

function framesOf({ body }: LightMyRequestResponse): string[] {
  return [...body.matchAll(/<iframe\s+src="([^"]*)"/g)].map(([, url = '']) => unescapeHtml(url));
}

const policyOf = (response: LightMyRequestResponse) => String(response.headers['content-security-policy']);
const sidOf = (idToken: string) => String(decodeJwt(idToken)['sid']);

/** A browser whose user has used all three applications. */
async function usedAll() {
  const browser = await aSignedInBrowser(api, deaf, user);
  const hint = await enters(browser, first, 'https://rp.test/cb');
  await enters(browser, second, 'https://other.test:8443/cb');
  return { browser, hint, sid: sidOf(hint) };
}

describe('a logout that leads back to an application', () => {
  it('frames those that the session signed in to, with issuer and session, and then goes on', async () => {
    const { browser, hint, sid } = await usedAll();
    const page = await browser.get(toBye(hint));
    expect(page.statusCode).toBe(200);
    expectPageHeaders(page);
    const call = `iss=https%3A%2F%2Fid.test&sid=${sid}`;
    expect(framesOf(page)).toEqual([
      `https://other.test:8443/out?from=us&${call}`,
      `https://rp.test/out?${call}`,
    ]);
    expect(policyOf(page)).toContain('; frame-src https://other.test:8443 https://rp.test; ');
    const target = `${POST_LOGOUT_URI}?state=a%22b%26c`;
    const escaped = target.replaceAll('&', '&amp;');
    expect(page.body).toContain(
      `<noscript><meta http-equiv="refresh" content="0;url=${escaped}" /></noscript>`,
    );
    expect(page.body).toContain(`id="go-on" href="${escaped}"`);
    // in a sandbox that lets none of them lead the browser elsewhere
    const sandboxes = [...page.body.matchAll(/sandbox="([^"]*)"/g)].map(([, allowed]) => allowed);
    expect(sandboxes).toEqual(Array(2).fill('allow-scripts allow-same-origin allow-forms'));
    // the session is over, whether the frames load or not
    const again = await browser.get(toBye(hint));
    expect({ status: again.statusCode, to: again.headers.location }).toEqual({ status: 302, to: target });
  });

  it('goes there at once where none of them wants to hear of it', async () => {
    const browser = await aSignedInBrowser(api, deaf, user);
    const hint = await enters(browser, deaf, 'https://rp.test/cb');
    const response = await browser.get(toBye(hint));
    expect(response.headers.location).toBe(`${POST_LOGOUT_URI}?state=a%22b%26c`);
  });

  it('names the session to an application with pairwise subjects as its ID token does', async () => {
    const client = await hearingAt('https://rp.test/pairwise', { subjectType: 'pairwise' });
    const { browser, hint } = await usedAll();
    const own = sidOf(await enters(browser, client, 'https://rp.test/cb'));
    expect(own).not.toBe(sidOf(hint));
    const frames = framesOf(await browser.get(toBye(hint))).filter((url) => url.includes('/pairwise'));
    expect(frames.map((url) => new URL(url).searchParams.get('sid'))).toEqual([own]);
  });

  it('leaves out an application that is switched off, and calls one of another session not at all', async () => {
    const client = await hearingAt('https://rp.test/gone');
    const { browser, hint } = await usedAll();
    await enters(browser, client, 'https://rp.test/cb');
    await usedAll();
    const place = `projects/${world.projectId}/apps/${client.id}`;
    expect((await owner.call('POST', `${place}/_deactivate`, {})).statusCode).toBe(200);
    const frames = framesOf(await browser.get(toBye(hint)));
    expect(frames).toHaveLength(2);
    expect(frames.join()).not.toContain('gone');
  });
});

describe('a logout that ends here', () => {
  it('frames them on the page that says so, after the question too', async () => {
    const { browser, sid } = await usedAll();
    const question = await browser.get(endSessionUrl({}));
    expect(framesOf(question)).toEqual([]);
    expect(policyOf(question)).not.toContain('frame-src');
    const page = await browser.post('/logout', hiddenFields(question.body));
    expectPageHeaders(page);
    expect(page.body).toContain('signed out');
    expect(framesOf(page).map((url) => new URL(url).searchParams.get('sid'))).toEqual([sid, sid]);
    expect(page.body).not.toContain('http-equiv="refresh"');
  });

  it('has each of several sessions called', async () => {
    const browser = await aSignedInBrowser(api, first, user);
    const another = await aUser(world);
    await browser.signIn(codeRequest(first, { prompt: 'login' }), another);
    const question = await browser.get(endSessionUrl({}));
    const frames = framesOf(await browser.post('/logout', hiddenFields(question.body)));
    expect(new Set(frames.map((url) => new URL(url).searchParams.get('sid'))).size).toBe(2);
  });
});

describe('an organization with more addresses than a page has frames (S311)', () => {
  const FLOOD = 120;

  /** As many applications as `client`, each with a long host of its own, which the session of `hint` signed in to. */
  async function flood(client: TestClient, hint: string): Promise<void> {
    const host = `0${'a'.repeat(50)}`;
    await api.sql.query(
      `INSERT INTO applications SELECT (jsonb_populate_record(a, jsonb_build_object('id', a.id || n, 'name', n, 'client_id',
        a.client_id || n, 'front_channel_logout_uri', 'https://${host}' || n || '.test/out'))).*
       FROM applications a, generate_series(1, ${FLOOD}) n WHERE a.id = $1`,
      [client.id],
    );
    await api.sql.query(
      `INSERT INTO authorizations SELECT (jsonb_populate_record(g, jsonb_build_object('id', g.id || n, 'application_id',
        g.application_id || n))).*
       FROM authorizations g, generate_series(1, ${FLOOD}) n WHERE g.application_id = $1 AND g.session_id = $2`,
      [client.id, sidOf(hint)],
    );
  }

  it('takes no place of another, and the page passes every proxy', async () => {
    const elsewhere = await anOrganization(api);
    const victim = await anApplication(elsewhere, { frontChannelLogoutUri: 'https://rp.test/victim' });
    const tenant = await hearingAt('https://rp.test/tenant');
    const browser = await aSignedInBrowser(api, victim, user);
    const hint = await enters(browser, tenant, 'https://rp.test/cb');
    await enters(browser, victim, 'https://rp.test/cb');
    await flood(tenant, hint);
    const page = await browser.get(toBye(hint));
    const frames = framesOf(page);
    expect(frames).toHaveLength(100);
    expect(frames.some((url) => url.startsWith('https://rp.test/victim'))).toBe(true);
    expect(policyOf(page)).toContain('; frame-src https:; ');
    expect(policyOf(page).length).toBeLessThan(4_000);
    await api.sql.query(`DELETE FROM applications WHERE front_channel_logout_uri LIKE 'https://0a%'`);
  });
});

describe('an instance that does not do so', () => {
  it('says nothing of it in discovery, and the other does', async () => {
    const path = '/.well-known/openid-configuration';
    const served = (await api.app.inject(path)).json<object>();
    const { frontchannel_logout_supported, frontchannel_logout_session_supported, ...others } =
      served as Record<string, unknown>;
    expect({ frontchannel_logout_supported, frontchannel_logout_session_supported }).toEqual({
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    });
    expect((await off.app.inject(path)).body).toBe(JSON.stringify(others));
  });

  it('redirects as ever, and names the session to nobody', async () => {
    const browser = new TestBrowser(off);
    await browser.signIn(codeRequest(first), user);
    const hint = await enters(browser, first, 'https://rp.test/cb', off);
    expect(decodeJwt(hint)).not.toHaveProperty('sid');
    const response = await browser.get(toBye(hint));
    expect(response.statusCode).toBe(302);
    expect(response.headers.location).toBe(`${POST_LOGOUT_URI}?state=a%22b%26c`);
  });

  it('does not understand its metadata, as ever', async () => {
    const { token } = await anInitialToken(world);
    const registered = await aRegistered(off, token, { frontchannel_logout_uri: 7 });
    expect(registered).not.toHaveProperty('frontchannel_logout_uri');
  });
});

describe('an address of somebody else (S293)', () => {
  const URIS: [string, string, Partial<OidcConfig>?][] = [
    ['https://evil.test/out', 'must have scheme, host and port of a redirect URI'],
    ['https://rp.test:444/out', 'must have scheme, host and port of a redirect URI'],
    ['https://rp.test.evil.test/out', 'must have scheme, host and port of a redirect URI'],
    ['http://rp.test/out', 'must use https'],
    ['javascript:alert(1)', 'has a scheme that is never allowed'],
    ['data:text/html,x', 'has a scheme that is never allowed'],
    ['https://rp.test/out#x', 'must not have a fragment'],
    ['https://a:b@rp.test/out', 'must not contain credentials'],
    ['https://*.test/out', 'must not contain a wildcard'],
    ["https://x;script-src'self'/out", 'must have a host of letters, digits, dots and hyphens'],
    ['/out', 'is not an absolute URI'],
  ];

  it.each(URIS)('%s is refused where a manager sets it', async (frontChannelLogoutUri, message) => {
    const response = await owner.call('POST', `projects/${world.projectId}/apps/oidc`, {
      name: 'Foreign',
      redirectUris: ['https://rp.test/cb'],
      frontChannelLogoutUri,
    });
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(`frontChannelLogoutUri ${message}`);
  });

  it.each(URIS)('%s is refused where an application registers itself', async (uri, message) => {
    const { token } = await anInitialToken(world);
    const body = metadata({ frontchannel_logout_uri: uri });
    const response = await registering(api, 'POST', REGISTER, token, body);
    expect(expectOAuthError(response, 400, 'invalid_client_metadata')).toContain(
      `frontchannel_logout_uri ${message}`.replaceAll('"', "'"),
    );
  });

  it('is refused when the redirect URI that made it good goes', async () => {
    const place = `projects/${world.projectId}/apps/${first.id}/oidc_config`;
    const response = await owner.call('PUT', place, {
      redirectUris: ['https://elsewhere.test/cb'],
      frontChannelLogoutUri: 'https://rp.test/out',
    });
    expect(response.statusCode).toBe(400);
  });
});

it('http is for development, as with redirect URIs', async () => {
  const settings = { name: 'Developed', redirectUris: ['http://localhost:3000/cb'], devMode: true };
  const response = await owner.call('POST', `projects/${world.projectId}/apps/oidc`, {
    ...settings,
    frontChannelLogoutUri: 'http://localhost:3000/out',
  });
  expect(response.statusCode).toBe(200);
});

it('an application that registers itself is called, and reads what it has registered', async () => {
  const { token } = await anInitialToken(world);
  const wanted = {
    frontchannel_logout_uri: 'https://rp.test/registered',
    frontchannel_logout_session_required: true,
  };
  const registered = await aRegistered(api, token, wanted);
  expect(registered).toMatchObject(wanted);
  const client = { id: '', clientId: registered.client_id, clientSecret: registered.client_secret };
  const browser = await aSignedInBrowser(api, client, user);
  const hint = await enters(browser, client, 'https://rp.test/cb');
  expect(framesOf(await browser.get(toBye(hint).replace(/&post_logout_redirect_uri=[^&]*/, '')))).toEqual([
    `https://rp.test/registered?iss=https%3A%2F%2Fid.test&sid=${sidOf(hint)}`,
  ]);
});
