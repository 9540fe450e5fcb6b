import { expect } from 'vitest';
import { makeSigner, type Signer } from '../../support/assertions.js';
import type { DocumentHost } from '../../support/document-host.js';
import { readJwt, signatureFaults } from '../checks/jwt.js';
import { KEY_ID, type Registrar } from '../support/dynamic-run.js';
import { must } from '../support/must.js';
import { HAPPY } from './happy.js';

const QUERY = '?dummy1=lorem&dummy2=ipsum';

export function published({ publicJwk, alg }: Signer, kid = KEY_ID): string {
  return JSON.stringify({ keys: [{ ...publicJwk, kid, alg, use: 'sig' }] });
}

type DynamicModule = (registrar: Registrar, host: DocumentHost) => Promise<void>;

/** Modules of `oidcc-dynamic-certification-test-plan` that are in all its variants: of whatever response type the registrar's clients are. */
export const DYNAMIC: Readonly<Record<string, DynamicModule>> = {
  'oidcc-server': async (registrar) => {
    const { run, client } = await registrar.begin();
    expect(client['response_types']).toEqual([registrar.responseType]);
    await expect(HAPPY['oidcc-server']?.(run)).resolves.toBeUndefined();
    // who signs has no secret
    expect(client).not.toHaveProperty('client_secret');
  },

  'oidcc-idtoken-rs256': async (registrar) => {
    const { run } = await registrar.begin({ id_token_signed_response_alg: 'RS256' });
    const { idToken, inFront = idToken } = await run.succeed();
    for (const one of [idToken, inFront]) expect(readJwt(one).header).toMatchObject({ alg: 'RS256' });
  },

  'oidcc-userinfo-rs256': async (registrar) => {
    const { run } = await registrar.begin({ userinfo_signed_response_alg: 'RS256' });
    expect(run.document['userinfo_signing_alg_values_supported']).toContain('RS256');
    const { accessToken, claims } = await run.succeed();
    const answer = await run.userinfo(accessToken ?? '');
    expect(answer.headers['content-type']).toMatch(/^application\/jwt\s*(;|$)/);
    must('userinfo', await signatureFaults('userinfo', answer.body, run.jwks));
    const said = readJwt(answer.body);
    expect(said.header).toMatchObject({ alg: 'RS256' });
    expect(said.claims).toMatchObject({ iss: run.issuer, aud: run.client.clientId, sub: claims['sub'] });
  },

  'oidcc-ensure-redirect-uri-in-authorization-request': async (registrar) => {
    const { suite } = registrar.stage;
    const { run } = await registrar.begin({
      redirect_uris: [suite.redirectUri, `${suite.redirectUri}/other`],
    });
    await run.expectErrorPage(run.request({ redirect_uri: undefined }), 'redirect_uri');
    expect(suite.received).toEqual([]);
  },

  'oidcc-redirect-uri-query-OK': async (registrar) => {
    const { suite } = registrar.stage;
    const { run } = await registrar.begin({ redirect_uris: [suite.redirectUri + QUERY] });
    await run.succeed();
    const [call] = suite.received;
    expect(call?.query.getAll('dummy1')).toEqual(['lorem']);
    expect(call?.query.getAll('dummy2')).toEqual(['ipsum']);
  },

  'oidcc-redirect-uri-query-mismatch': async (registrar) => {
    const { suite } = registrar.stage;
    const { run } = await registrar.begin({ redirect_uris: [suite.redirectUri + QUERY] });
    const other = `${suite.redirectUri}?dummy1=lorem&dummy2=dolor`;
    await run.expectErrorPage(run.request({ redirect_uri: other }), 'redirect_uri');
    expect(suite.received).toEqual([]);
  },

  'oidcc-redirect-uri-query-added': async (registrar) => {
    const { run } = await registrar.begin();
    await run.expectErrorPage(run.request({ redirect_uri: run.redirectUri + QUERY }), 'redirect_uri');
    expect(registrar.stage.suite.received).toEqual([]);
  },

  'oidcc-registration-jwks-uri': async (registrar, host) => {
    const signer = makeSigner('RS256');
    const jwksUri = host.answer('/jwks', { body: published(signer) });
    const { run, client } = await registrar.begin({ jwks: undefined, jwks_uri: jwksUri }, signer);
    expect(client).not.toHaveProperty('jwks');
    await run.succeed();
    // where there is no code nothing is signed
    if (registrar.responseType.includes('code')) expect(host.asked).toContain('/jwks');
  },
};
