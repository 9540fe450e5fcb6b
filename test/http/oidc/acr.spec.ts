import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  answerOf,
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  IMPLICIT,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  tokensOf,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aTotpSecret, trustBrowsersOf, type TestAuthenticator } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from './support/answers.js';

// acr (OpenID Connect Core §2, §5.5.1.1): what really happened, whatever was asked for.

const PASSWORD_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const { api, world } = useWorld();
const client = given(() =>
  anApplication(world, { ...IMPLICIT, grantTypes: [...IMPLICIT.grantTypes, EXCHANGE] }),
);
const user = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, user));

const ask = (changes: Record<string, string>, browser = signedIn) =>
  browser.get(authorizeUrl(codeRequest(client, changes)));
const acrClaim = (acr: unknown): string => JSON.stringify({ id_token: { acr } });

async function acrOf(changes: Record<string, string>): Promise<unknown> {
  const { parameters } = answerOf(await ask(changes));
  const code = parameters.get('code');
  const idToken =
    code === null
      ? parameters.get('id_token')
      : (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>().id_token;
  return decodeJwt(idToken ?? '')['acr'];
}

it('is a value that discovery lists', async () => {
  const document = (await api.app.inject('/.well-known/openid-configuration')).json<{
    acr_values_supported: string[];
  }>();
  expect(document.acr_values_supported).toEqual(['phr', MULTI_FACTOR, PASSWORD_CLASS]);
  for (const response_type of ['code', 'id_token', 'id_token token']) {
    expect(await acrOf({ response_type, acr_values: document.acr_values_supported.join(' ') })).toBe(
      PASSWORD_CLASS,
    );
  }
});

it('stays the same at a refresh', async () => {
  const code = answerOf(await ask({})).parameters.get('code') ?? '';
  const { refresh_token } = (await requestToken(api, redemption(code), basic(client))).json<TokenAnswer>();
  const refreshed = (await refreshTokens(api, client, { refresh_token })).json<TokenAnswer>();
  expect(decodeJwt(refreshed.id_token)['acr']).toBe(PASSWORD_CLASS);
});

describe('a wish that is not served or out of reach', () => {
  it.each<[string, Record<string, string>]>([
    ['values nobody knows', { acr_values: '1 2' }],
    ['a value nobody knows beside one that is served', { acr_values: `phrh ${PASSWORD_CLASS}` }],
    ['10 kB of values', { acr_values: 'a '.repeat(5000) }],
    ['control characters', { acr_values: 'a\u0000\r\n' }],
    ['classes that need a factor which the user has not got', { acr_values: `phr ${MULTI_FACTOR}` }],
    ['a voluntary claim', { claims: acrClaim({ values: ['phr', 'phrh'] }) }],
    ['a claim by itself', { claims: acrClaim(null) }],
    ['an essential claim without values', { claims: acrClaim({ essential: true }) }],
    [
      'an essential claim that lists what is served',
      { claims: acrClaim({ essential: true, values: ['phr', PASSWORD_CLASS] }) },
    ],
    [
      'an essential claim of userinfo',
      { claims: JSON.stringify({ userinfo: { acr: { essential: true, value: 'phr' } } }) },
    ],
  ])('is ignored, and the token says what happened: %s', async (_name, changes) => {
    expect(await acrOf(changes)).toBe(PASSWORD_CLASS);
  });
});

describe('an essential acr that no sign-in here has', () => {
  const demands: readonly [string, unknown][] = [
    ['one value', { essential: true, value: 'phrh' }],
    ['several values', { essential: true, values: ['1', 'phrh'] }],
    ['no value at all', { essential: true, values: [] }],
    ['something that is no text', { essential: true, value: 1 }],
  ];

  it.each(demands)(
    'is unmet_authentication_requirements, and nobody is asked in vain: %s',
    async (_name, acr) => {
      for (const browser of [signedIn, new TestBrowser(api)]) {
        for (const [changes, by] of [
          [{}, 'query'],
          [{ prompt: 'none' }, 'query'],
          [{ response_type: 'id_token' }, 'fragment'],
          [{ response_mode: 'form_post' }, 'form_post'],
        ] as const) {
          const response = await ask({ claims: acrClaim(acr), ...changes }, browser);
          expectAnsweredError(response, 'unmet_authentication_requirements', { by });
        }
      }
    },
  );
});

it('cannot be met by whoever has no factor: an essential one is refused, before and after a sign-in', async () => {
  const claims = acrClaim({ essential: true, values: ['phr', MULTI_FACTOR] });
  for (const prompt of [{}, { prompt: 'none' }]) {
    expectAnsweredError(await ask({ claims, ...prompt }), 'unmet_authentication_requirements', {
      by: 'query',
    });
  }
  const answered = await new TestBrowser(api).signIn(codeRequest(client, { claims }), user);
  expectAnsweredError(answered, 'unmet_authentication_requirements', { by: 'query' });
});

describe('a class that needs one more factor', () => {
  const PAGE = /^\/login\/second-factor\?flow=/;
  let app: TestAuthenticator;
  let browser: TestBrowser;

  beforeAll(async () => {
    const instanceOwner = await aServiceUser(world, 'IAM_OWNER');
    await instanceOwner.call('PUT', 'policies/factors', { trustedBrowserDays: '30' });
  });

  /** Signed in with the password in a browser that is trusted: nothing more is asked for unless an application does. */
  beforeEach(async () => {
    await api.advance(90);
    const owner = await aUser(world);
    browser = await aSignedInBrowser(api, client, owner);
    app = await aTotpSecret(api, owner.userId);
    await trustBrowsersOf(api, owner.userId);
  });

  async function openPage(changes: Record<string, string>): Promise<Record<string, string>> {
    const asked = await ask(changes, browser);
    expect(asked.headers.location).toMatch(PAGE);
    return hiddenFields((await browser.get(asked.headers.location ?? '')).body);
  }
  const show = (fields: Record<string, string>) =>
    browser.post('/login/second-factor', { ...fields, code: app.code(api) });
  const decline = (fields: Record<string, string>) => browser.post('/login/second-factor/decline', fields);

  async function idTokenOf(answered: Awaited<ReturnType<typeof ask>>) {
    const tokens = await tokensOf(api, client, answered);
    return decodeJwt(tokens.id_token);
  }

  it.each([
    ['wished for', { acr_values: `phr ${MULTI_FACTOR}` }],
    ['wished for by a claim', { claims: acrClaim({ values: ['phr', MULTI_FACTOR] }) }],
    ['demanded', { claims: acrClaim({ essential: true, value: MULTI_FACTOR }) }],
  ])('is reached by the factor alone, not by the password again: %s', async (_name, changes) => {
    const { auth_time: before } = await idTokenOf(await ask({}, browser));
    await api.advance(60);
    const answered = await show(await openPage(changes));
    const { acr, amr, auth_time } = await idTokenOf(answered);
    expect({ acr, amr }).toEqual({ acr: MULTI_FACTOR, amr: ['pwd', 'otp', 'mfa'] });
    // what was shown first is as old as it was
    expect(auth_time).toBe(before);
    expect((await idTokenOf(await ask(changes, browser)))['acr']).toBe(MULTI_FACTOR);
  });

  it('is not gone for where another that was listed is met, or nobody may be asked', async () => {
    const either = { acr_values: `${MULTI_FACTOR} ${PASSWORD_CLASS}` };
    expect((await idTokenOf(await ask(either, browser)))['acr']).toBe(PASSWORD_CLASS);
    const silent = { acr_values: MULTI_FACTOR, prompt: 'none' };
    expect((await idTokenOf(await ask(silent, browser)))['acr']).toBe(PASSWORD_CLASS);
  });

  it('is interaction_required under prompt=none where it is demanded', async () => {
    const claims = acrClaim({ essential: true, value: MULTI_FACTOR });
    expectAnsweredError(await ask({ claims, prompt: 'none' }, browser), 'interaction_required', {
      by: 'query',
    });
  });

  it('can be gone on without where it was a wish, and is refused where it was a demand', async () => {
    const wished = await openPage({ acr_values: MULTI_FACTOR });
    const declined = await decline(wished);
    expect((await idTokenOf(declined))['acr']).toBe(PASSWORD_CLASS);
    const demanded = await openPage({ claims: acrClaim({ essential: true, value: MULTI_FACTOR }) });
    expectAnsweredError(await decline(demanded), 'unmet_authentication_requirements', { by: 'query' });
  });

  it('cannot be gone on without where the session itself lacks the factor', async () => {
    await api.sql.query('UPDATE sessions SET browser_trusted = false WHERE browser_trusted');
    const fields = await openPage({ acr_values: MULTI_FACTOR });
    expect(redirected(await decline(fields)).has('code')).toBe(false);
    expect(redirected(await show(fields)).has('code')).toBe(true);
  });

  it('is not left out by posting to a later page of the flow', async () => {
    const fields = await openPage({ claims: acrClaim({ essential: true, value: MULTI_FACTOR }) });
    for (const path of ['/login/consent', '/login/accounts', '/login/change-password']) {
      const posted = await browser.post(path, { ...fields, decision: 'allow' });
      expect(posted.headers.location ?? '').not.toMatch(/code=/);
    }
  });

  it('begins with the password again under prompt=login and max_age, and then asks for what is missing', async () => {
    const asks = [{ prompt: 'login' }, { max_age: '0' }] satisfies Record<string, string>[];
    for (const again of asks) {
      await api.advance(90);
      const asked = await ask({ acr_values: MULTI_FACTOR, ...again }, browser);
      expect(asked.headers.location).toMatch(/^\/login\?flow=/);
    }
  });

  it('makes no old password new: neither for an application that asks for a fresh one, nor for the account (S378)', async () => {
    const asked = await ask({ prompt: 'login' }, browser);
    const login = asked.headers.location ?? '';
    await api.advance(700);
    expect(redirected(await show(await openPage({ acr_values: MULTI_FACTOR }))).has('code')).toBe(true);
    const accounts = await browser.get(login.replace('/login?', '/login/accounts?'));
    const account = /<button class="account"[^>]*value="([^"]+)"/.exec(accounts.body)?.[1] ?? '';
    expect(account).not.toBe('');
    const picked = await browser.post('/login/accounts', { ...hiddenFields(accounts.body), account });
    expect(picked.headers.location).toMatch(/^\/login\?flow=/);
    const page = await browser.get('/account/email/change');
    expect(page.headers.location).toMatch(/^\/account\/confirm/);
  });

  it('is told by introspection, by JWT access tokens and by what they are exchanged for', async () => {
    const fields = await openPage({ acr_values: MULTI_FACTOR });
    const { access_token } = await tokensOf(api, client, await show(fields));
    const told = { acr: MULTI_FACTOR, amr: ['pwd', 'otp', 'mfa'] };
    const introspected = await postForm(api, '/oauth/v2/introspect', { token: access_token }, basic(client));
    expect(introspected.json()).toMatchObject({ active: true, ...told });
    const form = {
      grant_type: EXCHANGE,
      subject_token: access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    };
    const exchanged = (await requestToken(api, form, basic(client))).json<TokenAnswer>();
    expect(decodeJwt(exchanged.access_token)).toMatchObject({
      ...told,
      auth_time: expect.any(Number) as number,
    });
  });
});
