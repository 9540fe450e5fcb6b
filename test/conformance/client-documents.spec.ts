import * as client from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { useApi, useReplica } from '../support/api.js';
import { REDIRECT_URI } from '../support/applications.js';
import { DocumentHost } from '../support/document-host.js';
import { given } from '../support/given.js';
import { aUser, PASSWORD } from '../support/users.js';
import { anOrganization, World } from '../support/world.js';
import { HttpBrowser } from './http-browser.js';

// An independent client library that registers nowhere: its client id is where it describes itself.

let issuer: URL;
const first = useApi();
const there = given(() => anOrganization(first));
const host = given(() => DocumentHost.start());
// on loopback, as on a developer's machine: documents may be there as well
const api = useReplica(first, async () => {
  issuer = new URL(`http://localhost:${await anyFreePort()}`);
  return {
    PUBLIC_URL: issuer.origin,
    CLIENT_ID_METADATA_DOCUMENTS: 'on',
    CLIENT_REGISTRATION_PROJECT: there.projectId,
  };
});
const user = given(() => aUser(new World(api, there.orgId, there.domain, there.projectId)));
beforeAll(() => api.app.listen(Number(issuer.port), '127.0.0.1'));
afterAll(() => host.stop());

it('signs its user in, who agrees, and refreshes', async () => {
  const clientId = host.publish('/client.json');
  const config = await client.discovery(issuer, clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  });
  client.enableNonRepudiationChecks(config);
  expect(config.serverMetadata()['client_id_metadata_document_supported']).toBe(true);
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  const browser = new HttpBrowser(issuer.origin);
  const pageOf = (at: { left: URL } | { page: string }): string => {
    if ('left' in at) throw new Error(`left for ${at.left.href}`);
    return at.page;
  };
  const signIn = pageOf(await browser.open(url));
  const consent = pageOf(await browser.fillIn(signIn, { loginName: user.loginName, password: PASSWORD }));
  expect(consent).toContain(new URL(clientId).host);
  const done = await browser.fillIn(consent, {}, { name: 'decision', value: 'allow' });
  if (!('left' in done)) throw new Error(done.page);
  const tokens = await client.authorizationCodeGrant(config, done.left, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  expect(tokens.claims()).toMatchObject({ sub: user.userId });
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(refreshed.access_token).toEqual(expect.any(String));
});
