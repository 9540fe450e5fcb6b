import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { beforeAll, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { anApplication, REDIRECT_URI } from '../support/applications.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// An independent client library that names an API by its address.

let issuer: URL;
const { api, world } = useWorld(async () => {
  issuer = new URL(`http://localhost:${await anyFreePort()}`);
  return { PUBLIC_URL: issuer.origin, RESOURCE_INDICATORS: 'on' };
});
const user = given(() => aUser(world));
beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));

it('gets tokens for it, and at a refresh for it alone', async () => {
  const resource = 'https://orders.test/api';
  const owner = await aServiceUser(world, 'ORG_OWNER');
  const { id } = (await owner.call('POST', 'projects', { name: 'Orders', resourceUri: resource })).json<{
    id: string;
  }>();
  const app = await anApplication(world, { accessTokenType: 'jwt' });
  const config = await client.discovery(
    issuer,
    app.clientId,
    undefined,
    client.ClientSecretBasic(app.clientSecret),
    { execute: [client.allowInsecureRequests] },
  );
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access',
    state,
    resource,
  });
  const answer = await new HttpBrowser(issuer.origin).openAndSignIn(url, user);
  const tokens = await client.authorizationCodeGrant(config, answer, { expectedState: state });
  expect(decodeJwt(tokens.access_token).aud).toContain(id);
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource });
  expect(decodeJwt(refreshed.access_token).aud).toEqual([id]);
});
