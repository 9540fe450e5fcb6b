import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { REDIRECT_URI } from '../support/applications.js';
import { anInitialToken } from '../support/client-registration.js';
import { given } from '../support/given.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// An independent client library that registers itself, on the real port.

describe('openid-client', () => {
  let issuer: URL;

  const { api, world } = useWorld(async () => {
    issuer = new URL(`http://localhost:${await anyFreePort()}`);
    return { PUBLIC_URL: issuer.origin, CLIENT_REGISTRATION: 'token', PAIRWISE_SUBJECTS: 'on' };
  });
  const user = given(() => aUser(world));
  beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

  it.each(['client_secret_basic', 'client_secret_post', 'none'])(
    'registers itself as %s, signs its user in and refreshes',
    async (method) => {
      const { token } = await anInitialToken(world);
      const config = await client.dynamicClientRegistration(
        issuer,
        {
          client_name: 'Editor',
          redirect_uris: [REDIRECT_URI],
          token_endpoint_auth_method: method,
          grant_types: ['authorization_code', 'refresh_token'],
        },
        method === 'none' ? client.None() : undefined,
        { initialAccessToken: token, execute: [client.allowInsecureRequests] },
      );
      client.enableNonRepudiationChecks(config);
      expect(config.clientMetadata()).toMatchObject({ client_name: 'Editor' });
      const verifier = client.randomPKCECodeVerifier();
      const state = client.randomState();
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT_URI,
        scope: 'openid offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      });
      const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
      const tokens = await client.authorizationCodeGrant(config, answer, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      });
      expect(tokens.claims()).toMatchObject({ sub: user.userId });
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(refreshed.access_token).toEqual(expect.any(String));
    },
  );

  it('knows its user by one name in ID token, userinfo and a refresh, where it has pairwise subjects', async () => {
    const { token } = await anInitialToken(world);
    const config = await client.dynamicClientRegistration(
      issuer,
      {
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        subject_type: 'pairwise',
      },
      undefined,
      { initialAccessToken: token, execute: [client.allowInsecureRequests] },
    );
    expect(config.serverMetadata()['subject_types_supported']).toEqual(['public', 'pairwise']);
    expect(config.clientMetadata()).toMatchObject({ subject_type: 'pairwise' });
    const parameters = { redirect_uri: REDIRECT_URI, scope: 'openid offline_access' };
    const url = client.buildAuthorizationUrl(config, parameters);
    const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
    const tokens = await client.authorizationCodeGrant(config, answer);
    const sub = tokens.claims()?.sub ?? '';
    expect(sub).toMatch(/^[\w-]{64}$/);
    expect(sub).not.toBe(user.userId);
    // the library refuses another sub than this
    expect((await client.fetchUserInfo(config, tokens.access_token, sub)).sub).toBe(sub);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()?.sub).toBe(sub);
  });

  it('is refused without a token', async () => {
    const registering = client.dynamicClientRegistration(
      issuer,
      { redirect_uris: [REDIRECT_URI] },
      undefined,
      { execute: [client.allowInsecureRequests] },
    );
    await expect(registering).rejects.toThrow();
  });
});
