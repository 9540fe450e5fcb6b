import { webcrypto } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { anApplication, REDIRECT_URI, type TestClient } from '../support/applications.js';
import { anAssertingApplication, makeSigner, type AssertingClient } from '../support/assertions.js';
import { given } from '../support/given.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// Two independent client libraries against the real port: each way of theirs to say which client sends a request, at
// every endpoint that takes it, with both forms of access tokens.

const SCOPE = 'openid profile email offline_access';

/** A way to authenticate as the libraries know it. Assertions by the algorithm that they take from the key. */
const METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'RS256',
  'PS256',
  'ES256',
  'Ed25519',
] as const;
type Method = (typeof METHODS)[number];

let issuer: URL;

const { api, world } = useWorld(async () => {
  issuer = new URL(`http://localhost:${await anyFreePort()}`);
  return { PUBLIC_URL: issuer.origin };
});
const user = given(() => aUser(world));
/** An API that asks about tokens where the client itself may not. */
const resource = given(() => anApplication(world));
beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

const ALGORITHMS = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  Ed25519: { name: 'Ed25519' },
} as const;

async function privateKeyOf({ signer, keyId }: AssertingClient): Promise<oauth.PrivateKey> {
  const algorithm = ALGORITHMS[signer.alg as keyof typeof ALGORITHMS];
  const bytes = signer.privateKey.export({ type: 'pkcs8', format: 'der' });
  const key = await webcrypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']);
  return { key, kid: keyId };
}

interface Registered {
  readonly app: TestClient;
  readonly key?: oauth.PrivateKey;
}

async function register(method: Method, accessTokenType: 'opaque' | 'jwt'): Promise<Registered> {
  if (method === 'none') return { app: await anApplication(world, { authMethod: method, accessTokenType }) };
  if (method === 'client_secret_basic' || method === 'client_secret_post') {
    return { app: await anApplication(world, { authMethod: method, accessTokenType }) };
  }
  const app = await anAssertingApplication(world, makeSigner(method), { accessTokenType });
  return { app, key: await privateKeyOf(app) };
}

const mayIntrospect = (method: Method) => !['client_secret_post', 'none'].includes(method);

const cases = METHODS.flatMap((method) =>
  (['opaque', 'jwt'] as const).map((form) => [method, form] as const),
);

describe('openid-client', () => {
  async function discover({ app, key }: Registered, method: Method): Promise<openid.Configuration> {
    const authentication =
      key !== undefined
        ? openid.PrivateKeyJwt(key)
        : method === 'none'
          ? openid.None()
          : method === 'client_secret_post'
            ? openid.ClientSecretPost(app.clientSecret)
            : openid.ClientSecretBasic(app.clientSecret);
    const execute = [openid.allowInsecureRequests];
    return await openid.discovery(issuer, app.clientId, {}, authentication, { execute });
  }

  it.each(cases)('%s, %s access tokens', async (method, form) => {
    const registered = await register(method, form);
    const config = await discover(registered, method);
    const asking = mayIntrospect(method) ? config : await discover({ app: resource }, 'client_secret_basic');
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
    const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');

    expect(await openid.tokenIntrospection(asking, tokens.access_token)).toMatchObject({
      active: true,
      client_id: registered.app.clientId,
      username: user.loginName,
      email: `${user.userName}@mail.test`,
    });
    expect(await openid.tokenIntrospection(asking, refreshed.refresh_token ?? '')).toEqual({ active: false });
    if (!mayIntrospect(method)) {
      await expect(openid.tokenIntrospection(config, tokens.access_token)).rejects.toMatchObject({
        status: 401,
      });
    }

    await openid.tokenRevocation(config, tokens.access_token);
    expect(await openid.tokenIntrospection(asking, tokens.access_token)).toEqual({ active: false });
    expect(await openid.tokenIntrospection(asking, refreshed.access_token)).toMatchObject({ active: true });
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '', {
      token_type_hint: 'refresh_token',
    });
    expect(await openid.tokenIntrospection(asking, refreshed.access_token)).toEqual({ active: false });
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await openid.tokenRevocation(config, 'nobody’s');
  });
});

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  it.each(cases)('%s, %s access tokens', async (method, form) => {
    const { app, key } = await register(method, form);
    const client: oauth.Client = { client_id: app.clientId };
    const authentication =
      key !== undefined
        ? oauth.PrivateKeyJwt(key)
        : method === 'none'
          ? oauth.None()
          : method === 'client_secret_post'
            ? oauth.ClientSecretPost(app.clientSecret)
            : oauth.ClientSecretBasic(app.clientSecret);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));

    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
    const parameters = oauth.validateAuthResponse(as, client, answer);
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        parameters,
        REDIRECT_URI,
        verifier,
        insecure,
      ),
      { requireIdToken: true },
    );
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token ?? '', insecure),
    );

    const [asking, proof] = mayIntrospect(method)
      ? [client, authentication]
      : [{ client_id: resource.clientId }, oauth.ClientSecretBasic(resource.clientSecret)];
    const introspect = async (token: string) =>
      await oauth.processIntrospectionResponse(
        as,
        asking,
        await oauth.introspectionRequest(as, asking, proof, token, insecure),
      );
    const revoke = async (token: string, by = authentication) =>
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, by, token, insecure));

    const info = await oauth.processUserInfoResponse(
      as,
      client,
      user.userId,
      await oauth.userInfoRequest(as, client, tokens.access_token, insecure),
    );
    expect(await introspect(tokens.access_token)).toMatchObject({
      ...info,
      active: true,
      iss: issuer.origin,
    });
    if (method !== 'none') await expect(revoke(tokens.access_token, oauth.None())).rejects.toThrow();
    expect(await introspect(tokens.access_token)).toMatchObject({ active: true });
    await revoke(tokens.access_token);
    expect(await introspect(tokens.access_token)).toEqual({ active: false });
    expect(await introspect(refreshed.access_token)).toMatchObject({ active: true });
    await revoke(refreshed.refresh_token ?? '');
    expect(await introspect(refreshed.access_token)).toEqual({ active: false });
  });
});
