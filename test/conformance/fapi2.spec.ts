import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { REDIRECT_URI } from '../support/applications.js';
import { anAssertingApplication, makeSigner } from '../support/assertions.js';
import { given } from '../support/given.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// An independent library does what the happy path of `fapi2-security-profile-final-test-plan` does, for the variant
// openid_connect, private_key_jwt, dpop, plain_fapi. The suite itself wants https and its own servers.

let issuer: URL;
const { api, world } = useWorld(async () => {
  issuer = new URL(`http://localhost:${await anyFreePort()}`);
  return { PUBLIC_URL: issuer.origin, SIGNING_ALG: 'ES256' };
});
const user = given(() => aUser(world));
beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

describe('an application under FAPI 2.0, by openid-client', () => {
  it.each(['ES256', 'PS256', 'EdDSA'])(
    'signs in, asks for claims and refreshes with a key for %s',
    async (alg) => {
      const signer = makeSigner(alg);
      const app = await anAssertingApplication(world, signer, { securityProfile: 'fapi2' });
      const der = signer.privateKey.export({ format: 'der', type: 'pkcs8' });
      const algorithm = {
        ES256: { name: 'ECDSA', namedCurve: 'P-256' },
        PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
        EdDSA: { name: 'Ed25519' },
      }[alg] ?? { name: alg };
      const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
      const config = await client.discovery(
        issuer,
        app.clientId,
        undefined,
        client.PrivateKeyJwt({ key, kid: app.keyId }),
        { execute: [client.allowInsecureRequests] },
      );
      const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
      const verifier = client.randomPKCECodeVerifier();
      const state = client.randomState();
      const nonce = client.randomNonce();
      const parameters = {
        redirect_uri: REDIRECT_URI,
        scope: 'openid profile offline_access',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      const url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
      const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
      const tokens = await client.authorizationCodeGrant(config, answer, checks, undefined, { DPoP });
      expect(tokens.token_type).toBe('dpop');
      const [head = ''] = (tokens.id_token ?? '').split('.');
      expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ alg: 'ES256' });
      await client.fetchUserInfo(config, tokens.access_token, user.userId, { DPoP });
      for (let time = 0; time < 2; time += 1) {
        const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, {
          DPoP,
        });
        expect(refreshed.refresh_token).toBeUndefined();
        await client.fetchUserInfo(config, refreshed.access_token, user.userId, { DPoP });
      }
    },
  );
});
