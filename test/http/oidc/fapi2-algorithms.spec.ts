import type { LightMyRequestResponse } from 'fastify';
import { decodeProtectedHeader, type JSONWebKeySet, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SecurityProfile } from '../../../src/domain/applications/oidc-config.js';
import { LogoutTokens } from '../../../src/domain/logout/logout-tokens.js';
import { Clock } from '../../../src/domain/shared/clock.js';
import { RotateKeys } from '../../../src/domain/signing-keys/rotate-keys.js';
import { PairwiseSubjects } from '../../../src/domain/tokens/claims/pairwise-subjects.js';
import { SignJwt } from '../../../src/domain/tokens/jwt/sign-jwt.js';
import { TokenSettings } from '../../../src/domain/tokens/token-settings.js';
import { startTestApi, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { anAssertingApplication, makeSigner, type AssertingClient } from '../../support/assertions.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  refreshRequest,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, boundBy } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { verifyJwt } from '../../support/published-keys.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';
import { aRequestObject, PKCE, postAsserted, VERIFIER } from './support/fapi2.js';

// FAPI 2.0 Security Profile, final, §5.4.1: nothing for such an application is signed by RS256, though the instance signs by it
// (security S487).

const key = given(() => aProofKey());

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

/** Requests of an application under Message Signing, which has every kind of JWT. */
function requestsOf(api: TestApi, client: AssertingClient, user: TestUser) {
  async function send(path: string, parameters: Record<string, string>): Promise<LightMyRequestResponse> {
    return await postAsserted(api, path, parameters, client, key);
  }

  /** The authorization response, a JWT. */
  async function authorized(changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const request = await aRequestObject(client, { scope: 'openid offline_access', ...changes });
    const pushed = await send('/oauth/v2/par', { client_id: client.clientId, request });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const browser = new TestBrowser(api);
    const parameters = { client_id: client.clientId, request_uri };
    const answer =
      changes['prompt'] === 'none'
        ? await browser.get(authorizeUrl(parameters))
        : await browser.signIn(parameters, user);
    return redirected(answer).get('response') ?? '';
  }

  async function redeem(code: string): Promise<LightMyRequestResponse> {
    return await send('/oauth/v2/token', redemption(code, { code_verifier: VERIFIER }));
  }

  return { send, authorized, redeem };
}

async function payloadOf(api: TestApi, jwt: string): Promise<JWTPayload> {
  return (await verifyJwt(api, jwt, { algorithms: ['ES256'] })).payload;
}

describe('on an instance that signs by RS256, an application under FAPI 2.0', () => {
  const { api, world } = useWorld();
  const user = given(() => aUser(world));
  const resource = given(() => anApplication(world));
  // as it was stored before it had the profile
  const stored = {
    accessTokenType: 'jwt',
    idTokenAlgorithm: 'RS256',
    authorizationAlgorithm: 'RS256',
    userinfoAlgorithm: 'RS256',
  } as const;

  async function profiled(securityProfile: SecurityProfile): Promise<AssertingClient> {
    const client = await anAssertingApplication(world, makeSigner('ES256'), stored);
    await api.sql.query(`UPDATE applications SET security_profile = $2 WHERE id = $1`, [
      client.id,
      securityProfile,
    ]);
    return client;
  }

  const client = given(() => profiled('fapi2_message_signing'));

  it('gets tokens, answers and logout tokens of every kind by ES256', async () => {
    const { authorized, redeem, send } = requestsOf(api, client, user);
    const { code } = await payloadOf(api, await authorized());
    const first = (await redeem(String(code))).json<Tokens>();
    const second = (await send('/oauth/v2/token', refreshRequest(first.refresh_token))).json<Tokens>();
    for (const { access_token, id_token } of [first, second]) {
      expect((await payloadOf(api, id_token)).sub).toBe(user.userId);
      expect((await payloadOf(api, access_token)).sub).toBe(user.userId);
    }
    const headers = await boundBy(key, first.access_token, 'GET', '/oidc/v1/userinfo');
    const told = await api.app.inject({ url: '/oidc/v1/userinfo', headers });
    expect(told.headers['content-type']).toBe('application/jwt');
    expect((await payloadOf(api, told.body)).sub).toBe(user.userId);
    const token = { token: first.access_token };
    for (const introspected of [
      await send('/oauth/v2/introspect', token),
      await send('/oauth/v2/introspect', { token: 'x' }),
      await postForm(api, '/oauth/v2/introspect', token, basic(resource)),
    ]) {
      await payloadOf(api, introspected.body);
    }
    const logoutTokens = new LogoutTokens(
      api.app.get(SignJwt),
      api.app.get(PairwiseSubjects),
      api.app.get(Clock),
      api.app.get(TokenSettings),
    );
    const logout = await logoutTokens.make({
      clientId: client.clientId,
      securityProfile: 'fapi2_message_signing',
      idTokenAlgorithm: 'RS256',
      clockSkewSeconds: 0,
      userId: user.userId,
      sessionId: '1',
      id: '2',
    } as unknown as Parameters<LogoutTokens['make']>[0]);
    expect((await payloadOf(api, logout))['jti']).toBe('2');
  });

  it('gets its errors by ES256 as well', async () => {
    const { authorized } = requestsOf(api, client, user);
    expect(await payloadOf(api, await authorized({ prompt: 'none' }))).toMatchObject({
      error: 'login_required',
    });
  });

  it('leaves every other application with RS256', async () => {
    const plain = await anApplication(world, { accessTokenType: 'jwt' });
    const tokens = await obtainTokens(api, plain, user);
    for (const token of [tokens.id_token, tokens.access_token]) {
      expect(decodeProtectedHeader(token).alg).toBe('RS256');
    }
    const asking = await anApplication(world, { userinfoAlgorithm: 'ES256' });
    const { access_token: token } = await obtainTokens(api, asking, user);
    expect(decodeProtectedHeader((await userinfo(api, token)).body).alg).toBe('ES256');
  });

  it('is promised by discovery, for all that it may be signed by', async () => {
    const discovery = (await api.app.inject('/.well-known/openid-configuration')).json<
      Record<string, unknown>
    >();
    for (const kind of ['id_token', 'userinfo', 'introspection']) {
      expect(discovery[`${kind}_signing_alg_values_supported`]).toEqual(['RS256', 'ES256']);
    }
  });
});

describe('on an instance from before there was a key for it, an application under FAPI 2.0', () => {
  let world: World;

  it('gets nothing by RS256 until the key signs, which is as soon as no cache lacks it', async () => {
    const before = await startTestApi();
    // an older instance has keys for RS256 alone
    await before.sql.query(`DELETE FROM signing_keys WHERE algorithm = 'ES256'`);
    const api = await startTestApi({}, before);
    try {
      world = await anOrganization(api);
      const client = await anAssertingApplication(world, makeSigner('ES256'), {
        securityProfile: 'fapi2',
        accessTokenType: 'jwt',
      });
      const user = await aUser(world);
      const { send } = requestsOf(api, client, user);
      async function redeemed(): Promise<LightMyRequestResponse> {
        const request = codeRequest(client, { ...PKCE, scope: 'openid' });
        const { request_uri } = (await send('/oauth/v2/par', request)).json<{ request_uri: string }>();
        const answer = await new TestBrowser(api).signIn({ client_id: client.clientId, request_uri }, user);
        return await requestsOf(api, client, user).redeem(redirected(answer).get('code') ?? '');
      }
      expectOAuthError(await redeemed(), 503, 'temporarily_unavailable');
      const { keys } = (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
      expect(keys.map(({ alg }) => alg).toSorted()).toEqual(['ES256', 'RS256']);
      // the key set may be kept for five minutes, and two leases of ten seconds go by until all publish the key
      await api.sql.query(`UPDATE signing_keys SET activates_at = activates_at - interval '321 seconds'`);
      await api.app.get(RotateKeys).run();
      const tokens = await redeemed();
      expect(decodeProtectedHeader(tokens.json<Tokens>().id_token).alg).toBe('ES256');
    } finally {
      await api.close();
      await before.close();
    }
  });
});
