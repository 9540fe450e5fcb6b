import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { complianceProblems } from '../../../src/domain/applications/oidc-compliance.js';
import { oidcConfigSchema } from '../../../src/domain/applications/oidc-config.js';
import { RateLimiter } from '../../../src/domain/shared/rate-limiter.js';
import { anApi, useReplica, type TestApi } from '../../support/api.js';
import { anApplication, anOwnApplication, type TestClient } from '../../support/applications.js';
import {
  hiddenFields,
  refreshRequest,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, boundBy, proofOf, type ProofKey } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { stopClockOfLimits } from '../../support/rate-limits.js';
import { API_SCOPE, aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const ISSUER = 'https://id.test';
const GRANTS = ['refresh_token', DEVICE_CODE];
/** With the id of the flow, which answers to its browser alone, and nothing more. */
const DONE = /^\/device\/done\?flow=[\w-]{22}$/;
const REFUSED = /^\/device\/refused\?flow=[\w-]{22}$/;

const { api, world } = useWorld();
const replica = useReplica(api);
const device = given(() =>
  anApplication(world, { authMethod: 'none', grantTypes: GRANTS, redirectUris: [] }),
);
const user = given(() => aUser(world));

interface Asked {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

async function ask(
  client: TestClient = device,
  parameters: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return await postForm(api, '/oauth/v2/device_authorization', {
    client_id: client.clientId,
    scope: 'openid profile offline_access',
    ...parameters,
  });
}

async function asked(client: TestClient = device, parameters: Record<string, string> = {}): Promise<Asked> {
  const response = await ask(client, parameters);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<Asked>();
}

async function poll(
  { device_code }: Asked,
  client: TestClient = device,
  at: TestApi = api,
): Promise<LightMyRequestResponse> {
  return await requestToken(at, { grant_type: DEVICE_CODE, device_code, client_id: client.clientId });
}

/** What the token endpoint says of it, as a device reads it. */
async function heard(one: Asked, client: TestClient = device): Promise<string | undefined> {
  return (await poll(one, client)).json<TokenAnswer>().error;
}

async function typeCode(browser: TestBrowser, code: string): Promise<LightMyRequestResponse> {
  const fields = hiddenFields((await browser.get('/device')).body);
  return await browser.post('/device', { ...fields, user_code: code });
}

/** From the code to the page that asks; gives that page's address. */
async function reachConsent(browser: TestBrowser, code: string, who: TestUser = user): Promise<string> {
  const typed = await typeCode(browser, code);
  const { location = '' } = typed.headers;
  if (location.startsWith('/login/consent')) return location;
  expect(location).toMatch(/^\/login\?flow=/);
  const fields = hiddenFields((await browser.get(location)).body);
  const answered = await browser.putOff(
    await browser.post('/login', { ...fields, loginName: who.loginName, password: PASSWORD }),
  );
  return answered.headers.location ?? '';
}

async function decide(
  browser: TestBrowser,
  page: string,
  decision: 'allow' | 'deny',
): Promise<LightMyRequestResponse> {
  const fields = hiddenFields((await browser.get(page)).body);
  return await browser.post('/login/consent', { ...fields, decision });
}

/** What people read. */
function textOf({ body }: LightMyRequestResponse): string {
  return body
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

/** All of what the person does. */
async function connect(code: string, decision: 'allow' | 'deny', who: TestUser = user): Promise<string> {
  const browser = new TestBrowser(api);
  const page = await reachConsent(browser, code, who);
  expect(page).toMatch(/^\/login\/consent\?flow=/);
  return (await decide(browser, page, decision)).headers.location ?? '';
}

describe('the device authorization endpoint', () => {
  it('answers codes, and where to type one (RFC 8628 §3.2)', async () => {
    const response = await ask();
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const answer = response.json<Asked>();
    expect(answer.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(answer.device_code).toMatch(/^[\w-]{43}$/);
    expect(answer).toMatchObject({
      verification_uri: `${ISSUER}/device`,
      verification_uri_complete: `${ISSUER}/device?user_code=${answer.user_code}`,
      expires_in: 300,
      interval: 5,
    });
  });

  it('refuses a client that may not have it, one that is not who it says, a bad scope and a repeated parameter', async () => {
    const web = await anApplication(world, { authMethod: 'none' });
    expect((await ask(web)).json()).toMatchObject({ error: 'unauthorized_client' });
    const secret = await anApplication(world, { grantTypes: GRANTS });
    expect((await ask(secret)).statusCode).toBe(401);
    expect((await ask(device, { scope: 'open"id' })).json()).toMatchObject({ error: 'invalid_scope' });
    const repeated = await postForm(
      api,
      '/oauth/v2/device_authorization',
      `client_id=${device.clientId}&scope=openid&scope=email`,
    );
    expect(repeated.json()).toMatchObject({ error: 'invalid_request' });
    expect((await ask(device, { scope: `openid ${API_SCOPE}` })).json()).toMatchObject({
      error: 'invalid_scope',
    });
  });

  it('answers programs, as the token endpoint does, also where nothing is served', async () => {
    const response = await api.app.inject('/oauth/v2/device_authorization');
    expect(response.statusCode).toBe(405);
    expect(response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('takes scopes that nobody knows for none', async () => {
    const one = await asked(device, { scope: 'unheard-of' });
    await connect(one.user_code, 'allow');
    expect((await poll(one)).json()).toMatchObject({ scope: 'openid' });
  });

  it('is in the discovery document', async () => {
    const response = await api.app.inject({ url: '/.well-known/openid-configuration' });
    expect(response.json()).toMatchObject({
      device_authorization_endpoint: `${ISSUER}/oauth/v2/device_authorization`,
      grant_types_supported: expect.arrayContaining([DEVICE_CODE]) as unknown,
    });
  });
});

describe('an application for devices alone', () => {
  it('is told of nothing that it lacks for the other flows', () => {
    const config = oidcConfigSchema.parse({ appType: 'native', authMethod: 'none', grantTypes: GRANTS });
    expect(complianceProblems(config)).toEqual([]);
  });
});

describe('the look of the pages of a device', () => {
  const APP_COLOUR = '#ff8800';
  const DEFAULT_COLOUR = '#225588';
  const branded = given(async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    await owner.call('PUT', 'policies/branding', { displayName: 'Default Inc', accentColor: DEFAULT_COLOUR });
    const other = await anOrganization(api);
    const otherOwner = await aServiceUser(other, 'ORG_OWNER');
    await otherOwner.call('PUT', 'policies/branding', { displayName: 'Acme', accentColor: APP_COLOUR });
    const client = await anApplication(other, {
      authMethod: 'none',
      grantTypes: GRANTS,
      redirectUris: [],
    });
    return { client, user: await aUser(other) };
  });

  function lookOf({ body }: LightMyRequestResponse): readonly string[] {
    return ['Acme', APP_COLOUR, 'Default Inc', DEFAULT_COLOUR].filter((mark) => body.includes(mark));
  }

  it('is that of the default organization before a code was typed, also where a link brings one', async () => {
    const browser = new TestBrowser(api);
    const one = await asked(branded.client);
    for (const page of [
      await browser.get('/device'),
      await browser.get(`/device?user_code=${one.user_code}`),
      await typeCode(browser, ''),
      await typeCode(browser, 'BCDF-BCDF'),
    ]) {
      expect(lookOf(page)).toEqual(['Default Inc', DEFAULT_COLOUR]);
    }
  });

  it.each(['allow', 'deny'] as const)(
    'is that of whose application asked, after %s, in its own browser alone',
    async (decision) => {
      const browser = new TestBrowser(api);
      const one = await asked(branded.client);
      const consent = await reachConsent(browser, one.user_code, branded.user);
      const { location = '' } = (await decide(browser, consent, decision)).headers;
      expect(location).toMatch(decision === 'allow' ? DONE : REFUSED);
      expect(location).not.toContain(one.user_code);
      const page = await browser.get(location);
      expect(page.statusCode).toBe(200);
      expect(lookOf(page)).toEqual(['Acme', APP_COLOUR]);
      expect(lookOf(await browser.get(location))).toEqual(['Acme', APP_COLOUR]);
      const bare = location.replace(/\?.*/, '');
      for (const elsewhere of [
        await new TestBrowser(api).get(location),
        await browser.get(bare),
        await browser.get(`${bare}?flow=none`),
      ]) {
        expect(elsewhere.statusCode).toBe(200);
        expect(lookOf(elsewhere)).toEqual(['Default Inc', DEFAULT_COLOUR]);
      }
    },
  );
});

describe('a device whose user agrees', () => {
  it('is not told of as refused to whoever decides after that in another browser', async () => {
    const one = await asked();
    const other = new TestBrowser(api);
    const seen = hiddenFields((await other.get(await reachConsent(other, one.user_code))).body);
    expect(await connect(one.user_code, 'allow')).toMatch(DONE);
    const late = await other.post('/login/consent', { ...seen, decision: 'deny' });
    expect(late.headers.location ?? '').not.toMatch(REFUSED);
    expect(late.statusCode).toBe(400);
    expect((await poll(one)).statusCode).toBe(200);
  });

  it('gets tokens, once, for that user', async () => {
    const one = await asked();
    expect(await heard(one)).toBe('authorization_pending');
    expect(await connect(one.user_code, 'allow')).toMatch(DONE);
    const response = await poll(one);
    const tokens = response.json<TokenAnswer>();
    expect(response.statusCode).toBe(200);
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile offline_access' });
    const about = await userinfo(api, tokens.access_token);
    expect(about.json()).toMatchObject({ sub: user.userId });
    const again = refreshRequest(tokens.refresh_token, { client_id: device.clientId });
    const refreshed = await requestToken(api, again);
    expect(refreshed.statusCode).toBe(200);
    expect(await heard(one)).toBe('invalid_grant');
  });

  it('reads a code in whatever way it is typed', async () => {
    const one = await asked();
    const typed = one.user_code.toLowerCase().replace('-', ' ');
    expect(await connect(typed, 'allow')).toMatch(DONE);
  });

  it('asks somebody who is signed in already, and never goes on by itself', async () => {
    const browser = new TestBrowser(api);
    await decide(browser, await reachConsent(browser, (await asked()).user_code), 'allow');
    const second = await asked();
    const page = await reachConsent(browser, second.user_code);
    expect(page).toMatch(/^\/login\/consent/);
    expect(await heard(second)).toBe('authorization_pending');
  });

  it('gives each of eight questions at once on two replicas tokens, or none: one has them', async () => {
    const one = await asked();
    await connect(one.user_code, 'allow');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => poll(one, device, n % 2 === 0 ? api : replica)),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  it('hears nothing any more once the session has ended that it got them by, without offline access', async () => {
    const one = await asked(device, { scope: 'openid' });
    const browser = new TestBrowser(api);
    await decide(browser, await reachConsent(browser, one.user_code), 'allow');
    await api.sql.query(
      `UPDATE sessions SET ended_at = app_now(), end_reason = 'signed_out' WHERE user_id = $1`,
      [user.userId],
    );
    expect(await heard(one)).toBe('invalid_grant');
  });
});

describe('a device that shows a key (RFC 9449)', () => {
  const TOKEN = '/oauth/v2/token';
  const USERINFO = '/oidc/v1/userinfo';
  const strict = given(() =>
    anApplication(world, {
      authMethod: 'none',
      grantTypes: GRANTS,
      redirectUris: [],
      accessTokenType: 'jwt',
      dpopBoundAccessTokens: true,
    }),
  );
  const key = given(() => aProofKey());
  const thief = given(() => aProofKey());

  async function send(
    form: Record<string, string>,
    client: TestClient,
    by?: ProofKey,
  ): Promise<LightMyRequestResponse> {
    const headers = by === undefined ? {} : { dpop: await proofOf(by, 'POST', TOKEN) };
    return await requestToken(api, { ...form, client_id: client.clientId }, headers);
  }

  const ofDevice = ({ device_code }: Asked) => ({ grant_type: DEVICE_CODE, device_code });

  it('gets tokens that are of use with it alone: the access token, and the refresh token, which nobody else may use (S254, S255)', async () => {
    const one = await asked();
    expect((await send(ofDevice(one), device, key)).json()).toMatchObject({ error: 'authorization_pending' });
    await connect(one.user_code, 'allow');
    const tokens = (await send(ofDevice(one), device, key)).json<TokenAnswer>();
    expect(tokens.token_type).toBe('DPoP');
    const { access_token: token, refresh_token } = tokens;
    const asks = async (headers: Record<string, string>) =>
      (await api.app.inject({ url: USERINFO, headers })).statusCode;
    expect(await asks(await boundBy(key, token, 'GET', USERINFO))).toBe(200);
    expect(await asks(await boundBy(thief, token, 'GET', USERINFO))).toBe(401);
    expect(await asks({ authorization: `Bearer ${token}` })).toBe(401);
    const again = refreshRequest(refresh_token);
    for (const by of [thief, undefined])
      expectOAuthError(await send(again, device, by), 400, 'invalid_grant');
    expect((await send(again, device, key)).json()).toMatchObject({ token_type: 'DPoP' });
  });

  it('must show one where all tokens of its application are bound (S255)', async () => {
    const one = await asked(strict);
    await connect(one.user_code, 'allow');
    expectOAuthError(await send(ofDevice(one), strict), 400, 'invalid_dpop_proof');
    const tokens = (await send(ofDevice(one), strict, key)).json<TokenAnswer>();
    expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf: { jkt: key.jkt } });
    const again = refreshRequest(tokens.refresh_token);
    expectOAuthError(await send(again, strict), 400, 'invalid_dpop_proof');
    expectOAuthError(await send(again, strict, thief), 400, 'invalid_grant');
  });
});

describe('a device whose user does not agree', () => {
  it('hears it', async () => {
    const one = await asked();
    expect(await connect(one.user_code, 'deny')).toMatch(REFUSED);
    expect(await heard(one)).toBe('access_denied');
    expect((await typeCode(new TestBrowser(api), one.user_code)).statusCode).toBe(400);
  });

  it('hears it where the project is not for them', async () => {
    const strict = await anOrganization(api);
    await api.sql.query(`UPDATE projects SET project_role_check = true WHERE id = $1`, [strict.projectId]);
    const client = await anApplication(strict, { authMethod: 'none', grantTypes: GRANTS, redirectUris: [] });
    const one = await asked(client);
    const browser = new TestBrowser(api);
    const location = await reachConsent(browser, one.user_code);
    expect(location).toMatch(REFUSED);
    expect(await heard(one, client)).toBe('access_denied');
  });
});

describe('a device that is typed in by somebody with an account that it is not for', () => {
  it('is not denied before they have chosen another', async () => {
    const strict = await anOrganization(api);
    await api.sql.query(`UPDATE projects SET project_role_check = true WHERE id = $1`, [strict.projectId]);
    const client = await anApplication(strict, { authMethod: 'none', grantTypes: GRANTS, redirectUris: [] });
    const browser = new TestBrowser(api);
    await decide(browser, await reachConsent(browser, (await asked()).user_code), 'allow');
    const one = await asked(client);
    const typed = await typeCode(browser, one.user_code);
    expect(typed.headers.location).toMatch(/^\/login\/accounts/);
    expect(await heard(one, client)).toBe('authorization_pending');
  });
});

describe('a device that asks', () => {
  it('too often is told to slow down, and waits for longer from then on (RFC 8628 §3.5)', async () => {
    const one = await asked();
    expect(await heard(one)).toBe('authorization_pending');
    expect(await heard(one)).toBe('slow_down');
    await api.advance(6);
    // ten seconds by now
    expect(await heard(one)).toBe('slow_down');
    await api.advance(16);
    expect(await heard(one)).toBe('authorization_pending');
  });

  it('on another client’s account, or with a code that nobody has, gets nothing', async () => {
    const one = await asked();
    const other = await anApplication(world, { authMethod: 'none', grantTypes: GRANTS, redirectUris: [] });
    expect(await heard(one, other)).toBe('invalid_grant');
    expect(await heard({ ...one, device_code: 'x' })).toBe('invalid_grant');
    expect(await heard({ ...one, device_code: '\u0000' })).toBe('invalid_grant');
  });

  it('too late hears that, and its code is no longer taken', async () => {
    const one = await asked();
    await api.advance(301);
    expect(await heard(one)).toBe('expired_token');
    const typed = await typeCode(new TestBrowser(api), one.user_code);
    expect(typed.statusCode).toBe(400);
    expect(typed.body).toContain('no longer valid');
  });
});

describe('attacks on devices', () => {
  async function aProject(
    place: World,
    name: string,
  ): Promise<{ readonly id: string; readonly name: string }> {
    const created = await (await aServiceUser(place, 'ORG_OWNER')).call('POST', 'projects', { name });
    return { id: created.json<{ id: string }>().id, name };
  }

  it('says nothing of lasting access to a device that gets none', async () => {
    const settings = { authMethod: 'none', grantTypes: [DEVICE_CODE], redirectUris: [] } as const;
    const one = await asked(await anApplication(world, settings));
    const browser = new TestBrowser(api);
    const page = textOf(await browser.get(await reachConsent(browser, one.user_code)));
    expect(page).toContain('see your name and your profile');
    expect(page).not.toContain('while you are away');
  });

  it('shows what a code that somebody has sent would do: the code, who asks, whose it is, from where, and a warning', async () => {
    const place = await anOrganization(api);
    const { org } = (await (await aServiceUser(place, 'ORG_OWNER')).call('GET', 'orgs/me')).json<{
      readonly org: { readonly name: string; readonly primaryDomain: string };
    }>();
    const name = 'Television <b>of</b> the lounge';
    const settings = { name, authMethod: 'none', grantTypes: GRANTS, redirectUris: [] } as const;
    const { name: shop, id: project } = await aProject(place, 'Order desk');
    const one = await asked(await anApplication(place, settings), {
      scope: `openid email phone address offline_access urn:zitadel:iam:user:metadata urn:zitadel:iam:org:project:id:${project}:aud`,
    });
    const browser = new TestBrowser(api);
    const page = textOf(await browser.get(await reachConsent(browser, one.user_code)));
    expect(page).toContain(one.user_code);
    const gets = [
      'use Television <b>of</b> the lounge as you',
      'see your e-mail address',
      'see your phone number',
      'see your postal address',
      'see further details that are kept about you',
      `use ${shop} in your name`,
      'keep this access while you are away, until you take it away on the page “Applications” of your account',
    ];
    expect(page).toContain(gets.join(''));
    expect(page).toMatch(new RegExp(`Owner\\s+${org.name}\\s+${org.primaryDomain}`));
    expect(page).toMatch(/Requested from\s+127\.0\.0\.1/);
    expect(page).toContain('Did somebody send you this code');
  });

  it('fills in a code from a link, and does nothing with it before the button is pressed', async () => {
    const one = await asked();
    const page = await new TestBrowser(api).get(`/device?user_code=${one.user_code}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain(`value="${one.user_code}"`);
    expect(await heard(one)).toBe('authorization_pending');
    const script = await new TestBrowser(api).get(
      '/device?user_code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
    );
    expect(script.body).not.toContain('<script>alert');
  });

  it('takes no form from another page', async () => {
    const one = await asked();
    const browser = new TestBrowser(api);
    expect((await browser.post('/device', { user_code: one.user_code, csrf: 'x' })).statusCode).toBe(403);
  });

  it('lets one of two browsers agree, and undoes what the other one opened', async () => {
    const one = await asked();
    const second = await aUser(world);
    const [mine, theirs] = [new TestBrowser(api), new TestBrowser(replica)];
    const pages = [
      await reachConsent(mine, one.user_code),
      await reachConsent(theirs, one.user_code, second),
    ];
    const answers = await Promise.all([
      decide(mine, pages[0] ?? '', 'allow'),
      decide(theirs, pages[1] ?? '', 'allow'),
    ]);
    const done = answers.filter(({ headers }) => DONE.test(headers.location ?? ''));
    expect(done).toHaveLength(1);
    const { rows } = await api.sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM authorizations a JOIN codes c ON c.authorization_id = a.id
       WHERE c.redirect_uri = $1 AND a.application_id = $2 AND a.user_id = $3`,
      [DEVICE_CODE, device.id, second.userId],
    );
    expect(rows[0]?.n).toBe(DONE.test(answers[1]?.headers.location ?? '') ? 1 : 0);
  });

  it('keeps the code that stands for it from everybody: no address that a browser sees has one', async () => {
    const one = await asked();
    const browser = new TestBrowser(api);
    const answered = await decide(browser, await reachConsent(browser, one.user_code), 'allow');
    expect(answered.headers.location).toMatch(DONE);
    const redeemed = await requestToken(api, {
      grant_type: 'authorization_code',
      code: one.device_code,
      redirect_uri: DEVICE_CODE,
      client_id: device.clientId,
    });
    expect(redeemed.json()).toMatchObject({
      error: expect.stringMatching(/unauthorized_client|invalid_grant/) as unknown,
    });
  });

  it('asks before a device acts on the service’s own APIs, each time, and says so', async () => {
    const client = await anOwnApplication(world, {
      authMethod: 'none',
      grantTypes: GRANTS,
      redirectUris: [],
    });
    const one = await asked(client, { scope: `openid ${API_SCOPE}` });
    const browser = new TestBrowser(api);
    const page = await reachConsent(browser, one.user_code);
    expect(page).toMatch(/^\/login\/consent/);
    expect((await browser.get(page)).body).toContain('do everything that you can do in the administration');
    expect((await decide(browser, page, 'allow')).headers.location).toMatch(DONE);
    expect((await poll(one, client)).statusCode).toBe(200);
  });

  it('takes nobody by a link past the page on which they type the code', async () => {
    const one = await asked();
    const typed = await typeCode(new TestBrowser(api), one.user_code);
    const flow = new URL(typed.headers.location ?? '', ISSUER).searchParams.get('flow') ?? '';
    const victim = new TestBrowser(api);
    await decide(victim, await reachConsent(victim, (await asked()).user_code), 'allow');
    const led = await victim.get(`/login/again?flow=${flow}`);
    expect(led.headers.location).toBe('/device');
    expect(await heard(one)).toBe('authorization_pending');
  });

  it('counts what a device asks for with its address: rows cost it nothing', async () => {
    const limited = await anApi({ RATE_LIMIT_FLOW: '5' });
    const place = await anOrganization(limited);
    const client = await anApplication(place, { authMethod: 'none', grantTypes: GRANTS, redirectUris: [] });
    const form = { client_id: client.clientId };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => postForm(limited, '/oauth/v2/device_authorization', form)),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(5);
    const refused = answers.find(({ statusCode }) => statusCode !== 200);
    expect(refused?.statusCode).toBe(429);
    expect(refused?.headers['retry-after']).toBeDefined();
  });

  it('counts wrong codes with the address, and with all others: then no other is looked at for a while', async () => {
    const limited = await anApi({ RATE_LIMIT_SIGN_IN: '5', TRUSTED_PROXIES: '127.0.0.1' });
    stopClockOfLimits(limited);
    const WRONG = 'BBBB-BBBB';
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const browser = new TestBrowser(limited);
    const fields = hiddenFields((await browser.get('/device')).body);
    const statuses = [];
    for (let n = 0; n < 7; n += 1) {
      statuses.push((await browser.post('/device', { ...fields, user_code: WRONG })).statusCode);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    const elsewhere = from('203.0.113.9');
    expect((await browser.post('/device', { ...fields, user_code: WRONG }, elsewhere)).statusCode).toBe(400);
    // with the six above, all but the last six that everybody together has in a minute
    const limiter = limited.app.get(RateLimiter);
    for (let n = 0; n < 2_988; n += 1) await limiter.hit('device-code', 'everybody', 3_000);
    for (let n = 0; n < 6; n += 1) {
      const guess = await browser.post('/device', { ...fields, user_code: WRONG }, from(`198.51.100.${n}`));
      expect(guess.statusCode, `guess ${n}`).toBe(400);
    }
    const place = await anOrganization(limited);
    const client = await anApplication(place, { authMethod: 'none', grantTypes: GRANTS, redirectUris: [] });
    const answer = await postForm(limited, '/oauth/v2/device_authorization', {
      client_id: client.clientId,
    });
    const { user_code } = answer.json<Asked>();
    // of an address that has typed nothing yet, and right
    const other = await browser.post('/device', { ...fields, user_code }, from('192.0.2.7'));
    expect(other.statusCode).toBe(429);
    expect(other.headers['retry-after']).toBeDefined();
  });
});
