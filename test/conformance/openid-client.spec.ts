import { createRemoteJWKSet, importPKCS8, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import type { ClientAuthMethod } from '../../src/domain/applications/oidc-config.js';
import { SIGNING_ALGORITHMS } from '../../src/domain/signing-keys/signing-key.js';
import {
  actor,
  allowImpersonation,
  EXCHANGE,
  EXCHANGING,
  subject,
  TYPES,
} from '../http/oidc/support/exchanges.js';
import {
  anApplication,
  aPublicApplication,
  POST_LOGOUT_URI,
  REDIRECT_URI,
  type TestClient,
} from '../support/applications.js';
import { anAssertingApplication } from '../support/assertions.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { useWorld, type World } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// An independent client library against the real port: it checks what we send by its own reading of the standards.

const SCOPE = 'openid profile email offline_access';

describe.each(SIGNING_ALGORITHMS)('openid-client, ID tokens signed with %s', (algorithm) => {
  let issuer: URL;

  const { api, world } = useWorld(async () => {
    issuer = new URL(`http://localhost:${await anyFreePort()}`);
    return { PUBLIC_URL: issuer.origin, SIGNING_ALG: algorithm, JWT_RESPONSE_MODES: 'on' };
  });
  const user = given(() => aUser(world));
  beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

  async function discover(app: TestClient, authentication: client.ClientAuth): Promise<client.Configuration> {
    const config = await client.discovery(
      issuer,
      app.clientId,
      { id_token_signed_response_alg: algorithm, authorization_signed_response_alg: algorithm },
      authentication,
      { execute: [client.allowInsecureRequests] },
    );
    // check signatures too, although the tokens come straight from us
    client.enableNonRepudiationChecks(config);
    return config;
  }

  async function signIn(
    config: client.Configuration,
    browser: HttpBrowser,
    extra: Record<string, string> = {},
  ) {
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...extra,
    });
    const answer = await browser.openAndSignIn(url, user);
    return await client.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
      ...(extra['max_age'] === undefined ? {} : { maxAge: Number(extra['max_age']) }),
    });
  }

  it('gets its answers and its refusals as signed JWTs (JARM)', async () => {
    const app = await anApplication(world);
    const config = await discover(app, client.ClientSecretBasic(app.clientSecret));
    client.useJwtResponseMode(config);
    const browser = new HttpBrowser(issuer.origin);
    await expect(signIn(config, browser, { prompt: 'none' })).rejects.toMatchObject({
      error: 'login_required',
    });
    const tokens = await signIn(config, browser);
    expect(tokens.claims()?.sub).toBe(user.userId);
  });

  it('signs a device in, whose user types its code in a browser', async () => {
    const grantTypes = ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];
    const app = await anApplication(world, { authMethod: 'none', grantTypes, redirectUris: [] });
    const config = await discover(app, client.None());
    const asked = await client.initiateDeviceAuthorization(config, { scope: SCOPE });
    const page = new URL(asked.verification_uri_complete ?? '');
    expect(await new HttpBrowser(issuer.origin).connectDevice(page, user)).toContain(
      'Your device is connected',
    );
    const tokens = await client.pollDeviceAuthorizationGrant(config, asked);
    expect(tokens.claims()).toMatchObject({ sub: user.userId });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const about = await client.fetchUserInfo(config, refreshed.access_token, user.userId);
    expect(about.sub).toBe(user.userId);
  });

  it.each<[string, (world: World) => Promise<[TestClient, client.ClientAuth]>]>([
    [
      'client_secret_basic',
      async (w) => {
        const app = await anApplication(w);
        return [app, client.ClientSecretBasic(app.clientSecret)];
      },
    ],
    [
      'client_secret_post',
      async (w) => {
        const app = await anApplication(w, { authMethod: 'client_secret_post', accessTokenType: 'jwt' });
        return [app, client.ClientSecretPost(app.clientSecret)];
      },
    ],
    ['none', async (w) => [await aPublicApplication(w), client.None()]],
  ])('goes all the way as %s', async (_method, make) => {
    const [app, authentication] = await make(world);
    const config = await discover(app, authentication);
    expect(config.serverMetadata().issuer).toBe(issuer.origin);
    const browser = new HttpBrowser(issuer.origin);

    const tokens = await signIn(config, browser, { max_age: '600' });
    expect(tokens.claims()?.sub).toBe(user.userId);
    const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token ?? '', keys, {
      issuer: issuer.origin,
      audience: app.clientId,
      algorithms: [algorithm],
    });
    expect(protectedHeader.alg).toBe(algorithm);
    expect(payload.sub).toBe(user.userId);

    const info = await client.fetchUserInfo(config, tokens.access_token, user.userId);
    expect(info).toMatchObject({ name: 'Ada Lovelace', preferred_username: user.loginName });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()?.sub).toBe(user.userId);
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    await client.fetchUserInfo(config, refreshed.access_token, user.userId);

    // silently, because the browser is signed in
    const silent = await signIn(config, browser, { prompt: 'none', id_token_hint: tokens.id_token ?? '' });
    expect(silent.claims()?.auth_time).toBe(tokens.claims()?.auth_time);

    const logout = client.buildEndSessionUrl(config, {
      post_logout_redirect_uri: POST_LOGOUT_URI,
      id_token_hint: silent.id_token ?? '',
      state: 'bye',
    });
    // the library names the client in the query as well
    expect(logout.searchParams.get('client_id')).toBe(app.clientId);
    const left = await browser.open(logout);
    expect('left' in left && left.left.href).toBe(`${POST_LOGOUT_URI}?state=bye`);
    await expect(client.fetchUserInfo(config, tokens.access_token, user.userId)).rejects.toThrow();
    await expect(signIn(config, browser, { prompt: 'none' })).rejects.toMatchObject({
      error: 'login_required',
    });
  });

  it.each(['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'] as const)(
    'exchanges tokens as %s',
    async (authMethod) => {
      const [app, authentication] = await exchangingClient(authMethod);
      const config = await discover(app, authentication);
      const tokens = await signIn(config, new HttpBrowser(issuer.origin));
      const exchanged = async (parameters: Record<string, string>) => {
        const answer = await client.genericGrantRequest(config, EXCHANGE, parameters);
        return { ...answer, claims: answer.claims() };
      };

      const narrower = await exchanged({ ...subject(tokens.access_token), scope: 'openid email' });
      expect(narrower).toMatchObject({
        issued_token_type: TYPES.access,
        token_type: 'bearer',
        scope: 'openid email',
        claims: { sub: user.userId },
      });
      expect(narrower).not.toHaveProperty('refresh_token');
      await client.fetchUserInfo(config, narrower.access_token, user.userId);

      const idToken = await exchanged({
        ...subject(tokens.id_token ?? '', TYPES.id),
        requested_token_type: TYPES.id,
      });
      expect(idToken).toMatchObject({ issued_token_type: TYPES.id, token_type: 'n_a' });
      const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
      const verified = await jwtVerify(idToken.access_token, keys, {
        issuer: issuer.origin,
        audience: app.clientId,
      });
      expect(verified.payload.sub).toBe(user.userId);

      const acting = await aServiceUser(world, 'ORG_END_USER_IMPERSONATOR');
      await allowImpersonation(api, user);
      const acted = await exchanged({
        ...subject(user.userId, TYPES.userId),
        ...actor(acting.pat),
        requested_token_type: TYPES.jwt,
        scope: 'openid offline_access',
      });
      expect(acted).toMatchObject({
        issued_token_type: TYPES.jwt,
        claims: { sub: user.userId, act: { iss: issuer.origin, sub: acting.userId } },
      });
      const refreshed = await client.refreshTokenGrant(config, acted.refresh_token ?? '');
      expect(refreshed.claims()).toMatchObject({ sub: user.userId, act: { sub: acting.userId } });
    },
  );

  async function exchangingClient(authMethod: ClientAuthMethod): Promise<[TestClient, client.ClientAuth]> {
    if (authMethod === 'private_key_jwt') {
      const app = await anAssertingApplication(world, undefined, { grantTypes: EXCHANGING });
      const { keyId: kid, signer } = app;
      const key = await importPKCS8(
        signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        signer.alg,
      );
      return [app, client.PrivateKeyJwt({ key, kid })];
    }
    const app = await anApplication(world, { authMethod, grantTypes: EXCHANGING });
    if (authMethod === 'none') return [app, client.None()];
    const { clientSecret } = app;
    return [
      app,
      authMethod === 'client_secret_basic'
        ? client.ClientSecretBasic(clientSecret)
        : client.ClientSecretPost(clientSecret),
    ];
  }
});
