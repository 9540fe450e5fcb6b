import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { Log } from '../../../src/domain/shared/log.js';
import { useApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';

const lines: string[] = [];
/** Every secret that went in or came out. */
const secrets = new Set<string>([
  PASSWORD,
  'Marker-wrong',
  'Marker-typed-into-the-name',
  'Marker-state',
  'Marker-nonce',
  'MARKERMARKER',
]);

const api = useApi();
// the same logger as ever, at its most talkative, writing to where this test can read it
const sink = { write: (line: string) => void lines.push(line) };
beforeAll(async () => {
  Reflect.set(api.app.get(Log, { strict: false }), 'logger', pino({ level: 'trace' }, sink));
});
const world = given(() => anOrganization(api));
const client = given(() => anApplication(world, { accessTokenType: 'jwt' }));
const user = given(() => aUser(world, { email: { address: 'marker-mail@mail.test', verified: true } }));
beforeAll(async () => {
  secrets.add(client.clientSecret);
  secrets.add('marker-mail@mail.test');
});

function remember(...values: (string | null | undefined)[]): void {
  for (const value of values) if (typeof value === 'string' && value !== '') secrets.add(value);
}

async function redeem(code: string, verifier: string): Promise<TokenAnswer> {
  const form = redemption(code, { code_verifier: verifier });
  const tokens = (await requestToken(api, form, basic(client))).json<TokenAnswer>();
  remember(tokens.access_token, tokens.id_token, tokens.refresh_token);
  return tokens;
}

describe('what is logged, at the most talkative level', () => {
  it('names requests, refusals and faults', async () => {
    const browser = new TestBrowser(api);
    const { verifier, challenge } = pkce();
    remember(verifier, challenge.code_challenge);
    const fields = await browser.openSignIn(codeRequest(client, challenge));
    remember(browser.userAgentSecret, fields['csrf'], fields['flow']);
    await browser.post('/login', { ...fields, loginName: user.loginName, password: 'Marker-wrong' });
    await browser.post('/login', { ...fields, loginName: 'Marker-typed-into-the-name', password: PASSWORD });
    const answered = await browser.post('/login', {
      ...fields,
      loginName: user.loginName,
      password: PASSWORD,
    });
    const code = redirected(answered).get('code') ?? '';
    remember(browser.userAgentSecret, code);

    const tokens = await redeem(code, verifier);
    await userinfo(api, tokens.access_token);
    await userinfo(api, `${tokens.access_token}x`);
    await api.app.inject(`/oidc/v1/userinfo?access_token=${tokens.access_token}`);
    remember((await refreshTokens(api, client, tokens)).json<TokenAnswer>().refresh_token);
    const secret = { client_id: client.clientId, client_secret: client.clientSecret };
    await requestToken(api, refreshRequest(tokens.refresh_token, secret));
    await requestToken(api, redemption(code), basic(client));
    await requestToken(api, redemption(code), basic({ ...client, clientSecret: 'Marker-wrong' }));
    await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none', id_token_hint: tokens.id_token })));
    await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none login' })));
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const made = await owner.call('POST', `users/${user.userId}/passwordless/_link`, {});
    const link = new URL(made.json<{ link: string }>().link);
    const page = hiddenFields((await browser.get(`${link.pathname}${link.search}`)).body);
    remember(owner.pat, page['code'], page['csrf']);
    expect((await browser.post('/passkey/register/challenge', page)).json()).toHaveProperty('challenge');
    await browser.post('/passkey/register', { ...page, credential: '{}' });
    await browser.post('/passkey/register/challenge', { ...page, code: 'MARKERMARKER' });
    await browser.get(`/oidc/v1/end_session?id_token_hint=${tokens.id_token}&state=Marker-state`);
    const log = lines.join('');
    expect(log).toContain('"route":"/oauth/v2/token"');
    expect(log).toContain('"reason":"wrong password"');
    expect(log).toContain('"reason":"unknown name"');
    expect(log).toContain('authorization code replayed');
    const refusal = lines.find((line) => line.includes('wrong secret or key by client_secret_basic'));
    expect(JSON.parse(refusal ?? '{}')).toMatchObject({
      msg: 'refused',
      code: 'invalid_client',
      clientId: client.clientId,
      requestId: expect.any(String) as string,
    });
  });

  it.each([
    [
      'the refresh grant that offline_access needs',
      { grantTypes: ['authorization_code'] },
      { scope: 'openid offline_access' },
      'offline_access was asked for without the refresh token grant: no refresh token is issued',
    ],
    [
      'the devMode that a redirect URI needs',
      {},
      { redirect_uri: 'http://localhost:3000/cb' },
      'redirect_uri was refused: it can be registered only with devMode',
    ],
  ] as const)('names %s, each time and with the application', async (_name, settings, request, msg) => {
    const { clientId, ...rest } = await anApplication(world, settings);
    const from = lines.length;
    for (let times = 0; times < 2; times += 1)
      await api.app.inject(authorizeUrl(codeRequest({ clientId, ...rest }, request)));
    const told = lines.slice(from).map((line) => JSON.parse(line) as { msg: string; clientId?: string });
    const found = told.filter((line) => line.msg === msg && line.clientId === clientId);
    expect(found).toHaveLength(2);
  });

  // protocol §11: a reference that operators find
  it.each([
    ['an unknown client', () => authorizeUrl(codeRequest(client, { client_id: '1' }))],
    [
      'an unregistered redirect URI',
      () => authorizeUrl(codeRequest(client, { redirect_uri: 'https://x.test' })),
    ],
    ['a bad hint to sign out', () => '/oidc/v1/end_session?id_token_hint=x'],
    ['a flow that is over', () => '/login?flow=AAAAAAAAAAAAAAAAAAAAAA'],
    ['the link of a mail that is over', () => '/password/init?id=x'],
  ])('knows the reference on the page about %s', async (_name, url) => {
    const page = await new TestBrowser(api).get(url());
    const reference = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(page.body)?.[0] ?? 'none';
    const line = lines.find((one) => one.includes(reference) && one.includes('"error page"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 30, requestId: reference });
  });

  // PostgreSQL quotes the whole row when it refuses one
  it.each([
    'auth_requests',
    'codes',
    'authorizations',
    'sessions',
    'refresh_tokens',
    'user_agents',
    'events',
  ])('tells of a row that %s did not take, and not what was in it', async (table) => {
    const { verifier, challenge } = pkce();
    const browser = new TestBrowser(api);
    remember(verifier, challenge.code_challenge);
    const before = lines.length;
    await api.sql.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`);
    try {
      const begun = await browser.get(authorizeUrl(codeRequest(client, challenge)));
      if (begun.headers.location?.startsWith('/login') === true) {
        const answered = await browser.signIn(codeRequest(client, challenge), user);
        const code = redirected(answered).get('code') ?? '';
        remember(code, browser.userAgentSecret);
        if (code !== '') await redeem(code, verifier);
      }
    } finally {
      await api.sql.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`);
    }
    const told = lines.slice(before).join('');
    expect(told).toContain('request failed');
    expect(told).toContain('"constraint":"broken"');
    expect(told).not.toContain('Failing row');
  });

  it('holds no secret, whole or in part', () => {
    const log = lines.join('');
    expect(secrets.size).toBeGreaterThan(20);
    for (const secret of secrets) {
      expect(log.includes(secret)).toBe(false);
      if (secret.length > 30) expect(log.includes(secret.slice(0, 24))).toBe(false);
    }
    expect(log).not.toMatch(/\?[a-z_]+=/);
  });
});
