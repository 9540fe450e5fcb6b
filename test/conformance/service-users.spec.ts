import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { given } from '../support/given.js';
import { API_SCOPE, aRobot, assertionOf, JWT_BEARER } from '../support/service-users.js';
import { useWorld } from '../support/world.js';

// Independent client libraries against the real port, as the programs of our users use them.

const SCOPE = 'openid profile';

describe.each(['RS256', 'ES256'])('service users, tokens signed with %s', (algorithm) => {
  let issuer: URL;

  const { api, world } = useWorld(async () => {
    issuer = new URL(`http://localhost:${await anyFreePort()}`);
    return { PUBLIC_URL: issuer.origin, SIGNING_ALG: algorithm };
  });
  const opaque = given(() => aRobot(world));
  const jwt = given(() => aRobot(world, { accessTokenType: 'jwt', alg: 'RS256' }));
  beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

  async function discover(
    clientId: string,
    authentication: client.ClientAuth,
  ): Promise<client.Configuration> {
    const metadata = { id_token_signed_response_alg: algorithm };
    const config = await client.discovery(issuer, clientId, metadata, authentication, {
      execute: [client.allowInsecureRequests],
    });
    client.enableNonRepudiationChecks(config);
    return config;
  }

  it('discovery lists the grants', async () => {
    const config = await discover(opaque.userName, client.None());
    const { grant_types_supported: grants } = config.serverMetadata();
    expect(grants).toEqual(expect.arrayContaining(['client_credentials', JWT_BEARER]));
  });

  describe.each([
    ['ClientSecretBasic', client.ClientSecretBasic],
    ['ClientSecretPost', client.ClientSecretPost],
  ] as const)('openid-client, %s', (_name, authentication) => {
    it.each(['opaque', 'jwt'] as const)('client credentials, %s', async (type) => {
      const robot = type === 'jwt' ? jwt : opaque;
      const config = await discover(robot.userName, authentication(robot.secret));
      const tokens = await client.clientCredentialsGrant(config, { scope: `${SCOPE} ${API_SCOPE}` });
      expect(tokens.id_token).toBeUndefined();
      expect(tokens.refresh_token).toBeUndefined();
      const info = await client.fetchUserInfo(config, tokens.access_token, robot.userId);
      expect(info).toMatchObject({ sub: robot.userId, name: 'Robot' });
    });
  });

  it.each(['opaque', 'jwt'] as const)('openid-client, JWT profile, %s', async (type) => {
    const robot = type === 'jwt' ? jwt : opaque;
    const config = await discover(robot.userName, client.None());
    const assertion = await assertionOf(robot, { issuer: issuer.origin });
    const tokens = await client.genericGrantRequest(config, JWT_BEARER, { assertion, scope: SCOPE });
    expect(tokens.claims()).toMatchObject({ sub: robot.userId, aud: [robot.userName] });
    const info = await client.fetchUserInfo(config, tokens.access_token, robot.userId);
    expect(info).toMatchObject({ sub: robot.userId, name: 'Robot' });
    if (type === 'opaque') return;
    const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
    const { payload } = await jwtVerify(tokens.access_token, keys, {
      issuer: issuer.origin,
      audience: robot.userName,
    });
    expect(payload).toMatchObject({ sub: robot.userId, client_id: robot.userName });
  });

  describe('oauth4webapi', () => {
    const insecure = { [oauth.allowInsecureRequests]: true };

    async function serverOf(): Promise<oauth.AuthorizationServer> {
      const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...insecure });
      return await oauth.processDiscoveryResponse(issuer, response);
    }

    it.each([
      ['client_secret_basic', oauth.ClientSecretBasic],
      ['client_secret_post', oauth.ClientSecretPost],
    ] as const)('client credentials by %s', async (_name, authentication) => {
      const server = await serverOf();
      const who: oauth.Client = { client_id: opaque.userName };
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        who,
        authentication(opaque.secret),
        new URLSearchParams({ scope: SCOPE }),
        insecure,
      );
      const tokens = await oauth.processClientCredentialsResponse(server, who, response);
      expect(tokens).toMatchObject({ token_type: 'bearer', scope: SCOPE });
      const asked = await oauth.userInfoRequest(server, who, tokens.access_token, insecure);
      const info = await oauth.processUserInfoResponse(server, who, opaque.userId, asked);
      expect(info.sub).toBe(opaque.userId);
    });

    it('names what is wrong with a secret', async () => {
      const server = await serverOf();
      const who: oauth.Client = { client_id: opaque.userName };
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        who,
        oauth.ClientSecretBasic('Marker-wrong'),
        new URLSearchParams(),
        insecure,
      );
      // a strict client reads the challenge of a 401 first (RFC 9110 §11.6.1)
      await expect(oauth.processClientCredentialsResponse(server, who, response)).rejects.toThrow(
        oauth.WWWAuthenticateChallengeError,
      );
    });

    it('JWT profile', async () => {
      const server = await serverOf();
      const who: oauth.Client = {
        client_id: jwt.userName,
        id_token_signed_response_alg: algorithm,
      };
      const assertion = await assertionOf(jwt, { issuer: issuer.origin, claims: { jti: 'Marker-strict' } });
      const send = () =>
        oauth.genericTokenEndpointRequest(
          server,
          who,
          oauth.None(),
          JWT_BEARER,
          { assertion, scope: SCOPE },
          insecure,
        );
      const response = await send();
      const tokens = await oauth.processGenericTokenEndpointResponse(server, who, response);
      await oauth.validateApplicationLevelSignature(server, response, insecure);
      expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: jwt.userId });
      await expect(
        oauth.processGenericTokenEndpointResponse(server, who, await send()),
      ).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    });
  });
});
