import { decodeJwt, type JWTPayload } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApplicationsStore } from '../../../src/domain/applications/applications.store.js';
import { ChangeApplication } from '../../../src/domain/applications/change-application.js';
import { apiConfigSchema, type OidcConfig } from '../../../src/domain/applications/oidc-config.js';
import { LogoutNoticesStore } from '../../../src/domain/logout/logout-notices.store.js';
import { LogoutTokens } from '../../../src/domain/logout/logout-tokens.js';
import { inPerson } from '../../../src/domain/permissions/acting.js';
import { Clock } from '../../../src/domain/shared/clock.js';
import type { ApplicationId, LogoutNoticeId, UserId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { PairwiseSubjects } from '../../../src/domain/tokens/claims/pairwise-subjects.js';
import { SignJwt } from '../../../src/domain/tokens/jwt/sign-jwt.js';
import { TokenSettings } from '../../../src/domain/tokens/token-settings.js';
import { useReplica } from '../../support/api.js';
import {
  anApplication,
  anOwnApplication,
  POST_LOGOUT_URI,
  type TestClient,
} from '../../support/applications.js';
import { anAssertingApplication, asserted, signAssertion } from '../../support/assertions.js';
import {
  answerOf,
  authorizeUrl,
  basic,
  codeRequest,
  endSessionUrl,
  hiddenFields,
  IMPLICIT,
  implicitRequest,
  obtainTokens,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call, postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { API_SCOPE, aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld, World } from '../../support/world.js';
import { expectOAuthError, expectRedirectedError } from './support/answers.js';
import {
  actor,
  allowImpersonation,
  exchange,
  exchanged,
  EXCHANGING,
  introspected,
  subject,
  TYPES,
} from './support/exchanges.js';

// Pairwise subject identifiers (OpenID Connect Core §8.1): applications of different sectors know a user by different names, and
// nothing that any of them is told gives away whose name it is.

const { api, world } = useWorld({ PAIRWISE_SUBJECTS: 'on' });
const off = useReplica(api, { PAIRWISE_SUBJECTS: 'off' });
const PAIRWISE = { subjectType: 'pairwise' } as const;
const OTHER_SECTOR = { ...PAIRWISE, sectorIdentifierUri: 'https://bank.test/sector.json' } as const;
const client = given(() => anApplication(world, { ...PAIRWISE, grantTypes: EXCHANGING }));
const jwtClient = given(() =>
  anApplication(world, { ...PAIRWISE, accessTokenType: 'jwt', grantTypes: EXCHANGING }),
);
const bank = given(() => anApplication(world, { ...OTHER_SECTOR, grantTypes: EXCHANGING }));
const open = given(() => anApplication(world, { accessTokenType: 'jwt', grantTypes: EXCHANGING }));
const backend = given(() => anApiApplication());
const user = given(() => aUser(world));
const other = given(() => aUser(world));
const tokens = given(() => obtainTokens(api, client, user));
const jwtTokens = given(() => obtainTokens(api, jwtClient, user));
const bankTokens = given(() => obtainTokens(api, bank, user));
const openTokens = given(() => obtainTokens(api, open, user));

/** An API of the project, which only asks about tokens. */
async function anApiApplication(): Promise<TestClient> {
  const owner = await aServiceUser(world, 'ORG_OWNER');
  const { app } = api;
  const { orgId, projectId } = world;
  const settings = { orgId, projectId, name: 'Backend', ...apiConfigSchema.parse({}) };
  const added = await app
    .get(UnitOfWork)
    .run((tx) => app.get(ChangeApplication).addApi(tx, settings, owner.userId));
  return { id: added.id, clientId: added.clientId, clientSecret: added.clientSecret ?? '' };
}

async function verified(token: string, audience: string): Promise<JWTPayload> {
  return (await verifyJwt(api, token, { audience })).payload;
}

const subOf = ({ id_token: token }: Pick<TokenAnswer, 'id_token'>): string => decodeJwt(token).sub ?? '';

/** No text that goes to an application of which this is all may have the id of the user in it, nor that of another sector. */
function expectHidden(text: unknown, ...names: readonly string[]): void {
  const told = typeof text === 'string' ? text : JSON.stringify(text);
  for (const name of [user.userId, other.userId, ...names]) expect(told).not.toContain(name);
}

/** What the two JWTs and the two answers say, as one text. */
function inside(token: string): object {
  return decodeJwt(token);
}

async function refreshed(tokens: TokenAnswer, by: TestClient): Promise<TokenAnswer> {
  return (await refreshTokens(api, by, tokens)).json();
}

async function change(of: TestClient, changes: Partial<OidcConfig>): Promise<void> {
  const { app } = api;
  const place = { orgId: world.orgId, projectId: world.projectId, id: of.id as ApplicationId };
  const record = await app.get(ApplicationsStore).find(place);
  if (record?.type !== 'oidc') throw new Error('no application');
  const { managementAccess: _, ...config } = record.config;
  const acting = inPerson(user.userId);
  await app
    .get(UnitOfWork)
    .run((tx) => app.get(ChangeApplication).replaceOidc(tx, place, { ...config, ...changes }, acting));
}

describe('the name of a user', () => {
  it('is the same in ID token, userinfo, JWT and introspection, for one sector', async () => {
    const sub = subOf(tokens);
    expect(sub).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect((await verified(tokens.id_token, client.clientId)).sub).toBe(sub);
    expect((await userinfo(api, tokens.access_token)).json()).toMatchObject({ sub });
    expect(subOf(jwtTokens)).toBe(sub);
    expect((await verified(jwtTokens.access_token, jwtClient.clientId)).sub).toBe(sub);
    expect((await userinfo(api, jwtTokens.access_token)).json()).toMatchObject({ sub });
    expect(await introspected(api, client, tokens.access_token)).toMatchObject({ active: true, sub });
  });

  it('is another one in another sector, and no id in any', async () => {
    expect(subOf(bankTokens)).not.toBe(subOf(tokens));
    expectHidden(inside(tokens.id_token));
    expectHidden(inside(bankTokens.id_token), subOf(tokens));
    expectHidden(inside(jwtTokens.access_token));
    expectHidden((await userinfo(api, bankTokens.access_token)).body, subOf(tokens));
    expect(subOf(openTokens)).toBe(user.userId);
  });

  it('is another one for another user, and the same after another sign-in and on every replica', async () => {
    const again = await obtainTokens(api, client, user);
    expect(subOf(again)).toBe(subOf(tokens));
    expect(subOf(await obtainTokens(api, client, other))).not.toBe(subOf(tokens));
    expect((await userinfo(off, tokens.access_token)).json()).toMatchObject({ sub: subOf(tokens) });
  });

  it('stays through a refresh (Core §12.2)', async () => {
    const first = await obtainTokens(api, jwtClient, user);
    const next = await refreshed(first, jwtClient);
    expect(subOf(next)).toBe(subOf(first));
    expect(decodeJwt(next.access_token).sub).toBe(subOf(first));
  });

  it('stands in tokens that come by way of the browser', async () => {
    const implicit = await anApplication(world, { ...PAIRWISE, ...IMPLICIT });
    const answer = answerOf(await new TestBrowser(api).signIn(implicitRequest(implicit), user));
    expect(decodeJwt(answer.parameters.get('id_token') ?? '').sub).toBe(subOf(tokens));
  });

  it('stands in the tokens of a device', async () => {
    const code = 'urn:ietf:params:oauth:grant-type:device_code';
    const tv = await anApplication(world, {
      ...OTHER_SECTOR,
      authMethod: 'none',
      grantTypes: [code],
      redirectUris: [],
    });
    const form = { client_id: tv.clientId, scope: 'openid' };
    const asked = (await postForm(api, '/oauth/v2/device_authorization', form)).json<
      Record<string, string>
    >();
    const browser = new TestBrowser(api);
    const fields = hiddenFields((await browser.get('/device')).body);
    const typed = await browser.post('/device', { ...fields, user_code: asked['user_code'] ?? '' });
    const signIn = hiddenFields((await browser.get(typed.headers.location ?? '')).body);
    const signedIn = await browser.post('/login', {
      ...signIn,
      loginName: user.loginName,
      password: PASSWORD,
    });
    const question = hiddenFields((await browser.get(signedIn.headers.location ?? '')).body);
    await browser.post('/login/consent', { ...question, decision: 'allow' });
    const grant = { grant_type: code, device_code: asked['device_code'] ?? '', client_id: tv.clientId };
    const answer = (await requestToken(api, grant)).json<TokenAnswer>();
    expect(subOf(answer)).toBe(subOf(bankTokens));
  });
});

describe('the session', () => {
  const told = given(() =>
    anApplication(world, {
      ...PAIRWISE,
      accessTokenType: 'jwt',
      backChannelLogoutUri: 'https://rp.test/out',
    }),
  );
  const toldBank = given(() =>
    anApplication(world, {
      ...OTHER_SECTOR,
      accessTokenType: 'jwt',
      backChannelLogoutUri: 'https://rp.test/out',
    }),
  );

  async function inOneBrowser() {
    const browser = new TestBrowser(api);
    const first = await obtainTokens(api, told, user, {}, browser);
    const code = redirected(await browser.get(authorizeUrl(codeRequest(toldBank)))).get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: 'https://rp.test/cb' };
    const second = (await requestToken(api, form, basic(toldBank))).json<TokenAnswer>();
    return { browser, first, second };
  }

  it('has another name in each sector, too: one browser shares it among its applications', async () => {
    const { first, second } = await inOneBrowser();
    const sids = [first.id_token, first.access_token, second.id_token, second.access_token].map(
      (token) => decodeJwt(token)['sid'],
    );
    expect(sids[0]).toBe(sids[1]);
    expect(sids[2]).toBe(sids[3]);
    expect(sids[0]).not.toBe(sids[2]);
    const { rows } = await api.sql.query<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [
      user.userId,
    ]);
    for (const { id } of rows) expect(sids).not.toContain(id);
    // and our own look-ups find it by that
    expect((await userinfo(api, first.access_token)).statusCode).toBe(200);
  });

  it('is ended by an ID token hint, and each application is told by its own names', async () => {
    const { browser, first, second } = await inOneBrowser();
    const parameters = { id_token_hint: first.id_token, post_logout_redirect_uri: POST_LOGOUT_URI };
    const out = await browser.get(endSessionUrl(parameters));
    expect(out.headers.location).toBe(POST_LOGOUT_URI);
    expect((await userinfo(api, first.access_token)).statusCode).toBe(401);
    const { rows } = await api.sql.query<{ id: LogoutNoticeId }>(
      `SELECT id FROM logout_notices WHERE application_id = ANY ($1) AND state = 'pending'`,
      [[told.id, toldBank.id]],
    );
    const { app } = api;
    const logoutTokens = new LogoutTokens(
      app.get(SignJwt),
      app.get(PairwiseSubjects),
      app.get(Clock),
      app.get(TokenSettings),
    );
    const heard: Record<string, [unknown, unknown]> = {};
    for (const { id } of rows) {
      const claimed = await app.get(LogoutNoticesStore).claim(id, 1000);
      if (claimed.kind !== 'claimed') throw new Error(claimed.kind);
      const { sub, sid } = decodeJwt(await logoutTokens.make(claimed.notice));
      heard[claimed.notice.clientId] = [sub, sid];
    }
    expect(heard).toEqual({
      [told.clientId]: [subOf(first), decodeJwt(first.id_token)['sid']],
      [toldBank.clientId]: [subOf(second), decodeJwt(second.id_token)['sid']],
    });
  });
});

describe('introspection', () => {
  it.each<[string, () => TokenAnswer]>([
    ['an opaque token', () => tokens],
    ['a JWT', () => jwtTokens],
  ])(
    'of %s tells an API and an application with public subjects the name that the client knows',
    async (_form, of) => {
      for (const by of [backend, open]) {
        const answer = await introspected(api, by, of().access_token);
        expect(answer).toMatchObject({ active: true, sub: subOf(tokens) });
        expectHidden(answer, subOf(bankTokens));
      }
    },
  );

  it.each<[string, () => TokenAnswer]>([
    ['of another sector', () => tokens],
    ['of an application with public subjects', () => openTokens],
  ])('of a token %s tells an application its own name for the user', async (_whose, of) => {
    const answer = await introspected(api, bank, of().access_token);
    expect(answer).toMatchObject({ active: true, sub: subOf(bankTokens) });
    expectHidden(answer, subOf(tokens));
  });

  it('tells the name that everybody knows where scope profile asks for it, and not otherwise', async () => {
    expect(await introspected(api, backend, tokens.access_token)).toMatchObject({ username: user.loginName });
    const { access_token: token } = await obtainTokens(api, client, user, { scope: 'openid' });
    for (const by of [client, backend, bank]) {
      const answer = await introspected(api, by, token);
      expect(answer).toMatchObject({ active: true });
      expect(answer).not.toHaveProperty('username');
      expect(JSON.stringify(answer)).not.toContain(user.userName);
    }
    const { access_token: open_ } = await obtainTokens(api, open, user, { scope: 'openid' });
    expect(await introspected(api, backend, open_)).toMatchObject({
      sub: user.userId,
      username: user.loginName,
    });
  });
});

it('is never taken for the id of somebody else who has it as an id', async () => {
  // whoever imports users chooses their ids
  const namesake = await aUser(world, { userId: subOf(tokens) as UserId });
  const theirs = await obtainTokens(api, open, namesake);
  expect(decodeJwt(theirs.access_token).sub).toBe(namesake.userId);
  expect((await userinfo(api, theirs.access_token)).json()).toMatchObject({
    preferred_username: namesake.loginName,
  });
  expect((await userinfo(api, jwtTokens.access_token)).json()).toMatchObject({
    preferred_username: user.loginName,
  });
  const browser = new TestBrowser(api);
  await obtainTokens(api, open, user, {}, browser);
  const asked = codeRequest(open, { prompt: 'none', id_token_hint: theirs.id_token });
  expectRedirectedError(await browser.get(authorizeUrl(asked)), 'login_required');
});

describe('id_token_hint', () => {
  const ask = async (by: TestClient, hint: string, browser: TestBrowser) =>
    await browser.get(authorizeUrl(codeRequest(by, { prompt: 'none', id_token_hint: hint })));

  it('names the user to the application that was told it, and to one of the same sector', async () => {
    const browser = new TestBrowser(api);
    const { id_token: hint } = await obtainTokens(api, client, user, {}, browser);
    expect(redirected(await ask(client, hint, browser)).has('code')).toBe(true);
    expect(redirected(await ask(jwtClient, hint, browser)).has('code')).toBe(true);
    const { id_token: others } = await obtainTokens(api, client, other);
    expectRedirectedError(await ask(client, others, browser), 'login_required');
  });

  it('does not tell an application that another one knows the same person', async () => {
    const browser = new TestBrowser(api);
    await obtainTokens(api, client, user, {}, browser);
    expectRedirectedError(await ask(bank, tokens.id_token, browser), 'login_required');
    expectRedirectedError(await ask(client, openTokens.id_token, browser), 'login_required');
    expectRedirectedError(await ask(open, tokens.id_token, browser), 'login_required');
    expect(redirected(await ask(open, openTokens.id_token, browser)).has('code')).toBe(true);
  });
});

describe('a sub in the claims parameter', () => {
  const ask = async (by: TestClient, sub: string, browser: TestBrowser) => {
    const claims = JSON.stringify({ id_token: { sub: { value: sub } } });
    return await browser.get(authorizeUrl(codeRequest(by, { prompt: 'none', claims })));
  };

  it('is the name that the application knows, and neither an id nor a name of another sector', async () => {
    const browser = new TestBrowser(api);
    await obtainTokens(api, client, user, {}, browser);
    expect(redirected(await ask(client, subOf(tokens), browser)).has('code')).toBe(true);
    expectRedirectedError(await ask(client, user.userId, browser), 'login_required');
    expectRedirectedError(await ask(client, subOf(bankTokens), browser), 'login_required');
    expectRedirectedError(await ask(bank, subOf(tokens), browser), 'login_required');
    expectRedirectedError(await ask(open, subOf(tokens), browser), 'login_required');
    expect(redirected(await ask(open, user.userId, browser)).has('code')).toBe(true);
  });
});

describe('a token exchange', () => {
  const impersonator = given(() => aServiceUser(world, 'ORG_END_USER_IMPERSONATOR'));
  beforeAll(async () => {
    await allowImpersonation(api, user);
  });

  it.each<[string, () => Record<string, string>]>([
    ['opaque token', () => subject(tokens.access_token)],
    ['JWT', () => subject(jwtTokens.access_token)],
  ])('of an %s gives no id to an application with public subjects', async (_form, form) => {
    const description = expectOAuthError(await exchange(api, open, form()), 400, 'invalid_request');
    expect(description).toContain('pairwise subjects');
    const by = { ...subject(openTokens.access_token), ...actor(form()['subject_token'] ?? '') };
    expectOAuthError(await exchange(api, open, by), 400, 'invalid_request');
  });

  it('gives an application its own name for the user, whoever had the token', async () => {
    for (const form of [subject(openTokens.access_token), subject(bankTokens.access_token)]) {
      for (const requested_token_type of [TYPES.jwt, TYPES.id]) {
        const { access_token: token } = await exchanged(api, client, { ...form, requested_token_type });
        expect(decodeJwt(token).sub).toBe(subOf(tokens));
        expectHidden(inside(token), subOf(bankTokens));
      }
    }
    const own = await exchanged(api, client, subject(tokens.id_token, TYPES.id));
    expect((await userinfo(api, own.access_token)).json()).toMatchObject({ sub: subOf(tokens) });
  });

  it('names by pairwise names whoever acts, in JWTs, introspection and what comes of them', async () => {
    const form = { ...subject(openTokens.access_token), ...actor(impersonator.pat), scope: 'openid' };
    const first = await exchanged(api, jwtClient, { ...form, requested_token_type: TYPES.jwt });
    const { sub, act } = decodeJwt(first.access_token) as { sub: string; act: { sub: string } };
    expect(sub).toBe(subOf(tokens));
    expect(act.sub).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expectHidden(inside(first.access_token), impersonator.userId);
    expect(await introspected(api, backend, first.access_token)).toMatchObject({
      sub,
      act: { sub: act.sub },
    });
    expectHidden(await introspected(api, bank, first.access_token), impersonator.userId, sub, act.sub);
    const next = await exchanged(api, jwtClient, {
      ...subject(first.access_token),
      requested_token_type: TYPES.jwt,
    });
    expect(decodeJwt(next.access_token)['act']).toEqual(act);
    const { rows } = await api.sql.query<{ actor: { sub: string } }>(
      'SELECT actor FROM authorizations WHERE application_id = $1 AND actor IS NOT NULL',
      [jwtClient.id],
    );
    expect(rows.map((row) => row.actor.sub)).toEqual([impersonator.userId, impersonator.userId]);
  });

  it('takes for a subject the name by which the application knows the user', async () => {
    const named = subOf(await obtainTokens(api, client, other));
    const form = { ...subject(named, TYPES.userId), ...actor(impersonator.pat), scope: 'openid' };
    const { access_token: token } = await exchanged(api, client, form);
    expect((await userinfo(api, token)).json()).toMatchObject({ sub: named });
    expectOAuthError(await exchange(api, bank, form), 400, 'invalid_request');
  });

  it('takes it in a JWT that the application signed as well', async () => {
    const changes = { ...PAIRWISE, grantTypes: EXCHANGING };
    const asserting = await anAssertingApplication(world, undefined, changes);
    const claims = { iss: asserting.clientId, sub: subOf(tokens), jti: undefined };
    const jwt = await signAssertion(asserting, 'https://id.test', { claims });
    const form = {
      ...subject(jwt, TYPES.jwt),
      ...actor(impersonator.pat),
      scope: 'openid',
      ...(await asserted(asserting)),
    };
    const response = await exchange(api, asserting, form, {});
    expect(response.statusCode).toBe(200);
    const { access_token: token } = response.json<TokenAnswer>();
    expect((await userinfo(api, token)).json()).toMatchObject({ sub: subOf(tokens) });
  });
});

describe('the service’s own APIs', () => {
  it('take the tokens of an application that was given access to them', async () => {
    for (const accessTokenType of ['opaque', 'jwt'] as const) {
      const own = await anOwnApplication(world, { ...PAIRWISE, accessTokenType });
      const { access_token: token } = await obtainTokens(api, own, user, { scope: `openid ${API_SCOPE}` });
      const me = await call(api, 'GET', '/auth/v1/users/me', { pat: token });
      expect(me.json()).toMatchObject({ user: { id: user.userId } });
    }
  });

  it('do not tell any other who its user is', async () => {
    for (const { access_token: token } of [tokens, jwtTokens]) {
      for (const path of ['', '/profile', '/email', '/phone']) {
        const response = await call(api, 'GET', `/auth/v1/users/me${path}`, { pat: token });
        expect(response.statusCode).toBe(401);
        expectHidden(response.body);
      }
    }
    expect((await call(api, 'GET', '/auth/v1/users/me', { pat: openTokens.access_token })).statusCode).toBe(
      200,
    );
  });

  it('send a code to the own phone for it all the same, and tell nothing by that', async () => {
    const response = await call(api, 'POST', '/auth/v1/users/me/phone/_resend_verification', {
      pat: tokens.access_token,
      body: {},
    });
    // there is no number to send one to
    expect(response.statusCode).toBe(404);
    expectHidden(response.body);
  });
});

describe('a change of subjects', () => {
  it.each<[string, Partial<OidcConfig>, Partial<OidcConfig>]>([
    ['to pairwise', {}, PAIRWISE],
    ['to public', PAIRWISE, { subjectType: 'public' }],
    ['to another sector', PAIRWISE, OTHER_SECTOR],
    ['to another host', PAIRWISE, { redirectUris: ['https://shop.test/cb'] }],
  ])('%s ends what was issued under the other name', async (_what, before, after) => {
    const changing = await anApplication(world, { ...before, accessTokenType: 'jwt' });
    const issued = await obtainTokens(api, changing, user);
    await change(changing, after);
    expect((await userinfo(api, issued.access_token)).statusCode).toBe(401);
    expectOAuthError(await refreshTokens(api, changing, issued), 400, 'invalid_grant');
  });

  it('of nothing that the name comes from ends nothing', async () => {
    const steady = await anApplication(world, PAIRWISE);
    const issued = await obtainTokens(api, steady, user);
    await change(steady, {
      clockSkewSeconds: 2,
      redirectUris: ['https://rp.test/cb', 'https://rp.test/other'],
    });
    expect((await userinfo(api, issued.access_token)).json()).toMatchObject({ sub: subOf(issued) });
    expect(subOf(await refreshed(issued, steady))).toBe(subOf(issued));
  });

  it('leaves the application its old ID tokens as hints', async () => {
    const changing = await anApplication(world);
    const browser = new TestBrowser(api);
    const { id_token: hint } = await obtainTokens(api, changing, user, {}, browser);
    await change(changing, PAIRWISE);
    const asked = await browser.get(
      authorizeUrl(codeRequest(changing, { prompt: 'none', id_token_hint: hint })),
    );
    const code = redirected(asked).get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: 'https://rp.test/cb' };
    const answer = (await requestToken(api, form, basic(changing))).json<TokenAnswer>();
    expect(subOf(answer)).toBe(subOf(tokens));
  });
});

describe('the setting of the instance', () => {
  it('says in discovery which subjects there are', async () => {
    const read = async (at: typeof api) =>
      (await at.app.inject('/.well-known/openid-configuration')).json<object>();
    expect(await read(api)).toMatchObject({ subject_types_supported: ['public', 'pairwise'] });
    expect(await read(off)).toMatchObject({ subject_types_supported: ['public'] });
  });

  it('takes the names from no application when it is switched off', async () => {
    expect(subOf(await obtainTokens(off, client, user))).toBe(subOf(tokens));
    const there = new World(off, world.orgId, world.domain, world.projectId);
    await expect(anApplication(there, PAIRWISE)).rejects.toThrow('does not serve pairwise subjects');
  });
});
