import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { anApplication, aPublicApplication, REDIRECT_URI } from '../support/applications.js';
import { given } from '../support/given.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// Two independent libraries push requests (RFC 9126) and bind their tokens to a key (RFC 9449), each by its own reading.

const SCOPE = 'openid profile email offline_access';

describe.each(['off', 'required'])('pushed requests and bound tokens, nonces %s', (nonce) => {
  let issuer: URL;

  const { api, world } = useWorld(async () => {
    issuer = new URL(`http://localhost:${await anyFreePort()}`);
    return { PUBLIC_URL: issuer.origin, DPOP_NONCE: nonce };
  });
  const user = given(() => aUser(world));
  const strict = given(() =>
    anApplication(world, { requirePushedAuthorizationRequests: true, dpopBoundAccessTokens: true }),
  );
  beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

  it.each(['a secret', 'no secret'])('by openid-client, with %s', async (kind) => {
    const app = kind === 'a secret' ? strict : await aPublicApplication(world);
    const authentication = kind === 'a secret' ? client.ClientSecretBasic(app.clientSecret) : client.None();
    const config = await client.discovery(issuer, app.clientId, undefined, authentication, {
      execute: [client.allowInsecureRequests],
    });
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const parameters = {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const tokens = await client.authorizationCodeGrant(config, answer, checks, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const about = await client.fetchUserInfo(config, tokens.access_token, user.userId, { DPoP });
    expect(about.sub).toBe(user.userId);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    await client.fetchUserInfo(config, refreshed.access_token, user.userId, { DPoP });
    // without its handle it is a bearer token, which is what a thief would make of it
    await expect(client.fetchUserInfo(config, refreshed.access_token, user.userId)).rejects.toThrow();
  });

  it.each(['ES256', 'RS256', 'PS256', 'Ed25519'])('by oauth4webapi, with a key of %s', async (alg) => {
    const options = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, options),
    );
    expect(server.dpop_signing_alg_values_supported).toContain(alg);
    const me: oauth.Client = { client_id: strict.clientId };
    const authentication = oauth.ClientSecretBasic(strict.clientSecret);
    const DPoP = oauth.DPoP(me, await oauth.generateKeyPair(alg));
    const bound = { ...options, DPoP };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const parameters = {
      client_id: me.client_id,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const pushed = await untilNonceIsKnown(async () =>
      oauth.processPushedAuthorizationResponse(
        server,
        me,
        await oauth.pushedAuthorizationRequest(server, me, authentication, parameters, bound),
      ),
    );
    expect(pushed.expires_in).toBeGreaterThan(0);
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({ client_id: me.client_id, request_uri: pushed.request_uri }).toString();
    const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
    const callback = oauth.validateAuthResponse(server, me, answer, state);
    const tokens = await untilNonceIsKnown(async () =>
      oauth.processAuthorizationCodeResponse(
        server,
        me,
        await oauth.authorizationCodeGrantRequest(
          server,
          me,
          authentication,
          callback,
          REDIRECT_URI,
          verifier,
          bound,
        ),
      ),
    );
    expect(tokens.token_type).toBe('dpop');
    const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? {};
    const about = await untilNonceIsKnown(async () =>
      oauth.processUserInfoResponse(
        server,
        me,
        sub ?? '',
        await oauth.userInfoRequest(server, me, tokens.access_token, bound),
      ),
    );
    expect(about.sub).toBe(user.userId);
  });
});

/** As the library has its callers do: once more with the nonce of the answer. */
async function untilNonceIsKnown<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (oauth.isDPoPNonceError(error)) return await request();
    throw error;
  }
}
