import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeSigner } from '../support/assertions.js';
import { DocumentHost } from '../support/document-host.js';
import { readJwt, signatureFaults } from './checks/jwt.js';
import { HAPPY } from './modules/happy.js';
import { DYNAMIC_SETTINGS, KEY_ID, Registrar } from './support/dynamic-run.js';
import { must } from './support/must.js';
import { Stage } from './support/stage.js';

// Modules of `oidcc-dynamic-certification-test-plan` whose flow differs in the variants with another response type than `code`; the
// others are in dynamic.spec.ts.

const QUERY = '?dummy1=lorem&dummy2=ipsum';

describe.each(['id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'] as const)(
  'oidcc-dynamic-certification-test-plan with %s',
  (responseType) => {
    let stage: Stage;
    let registrar: Registrar;
    let host: DocumentHost;

    beforeAll(async () => {
      stage = await Stage.build({ ...DYNAMIC_SETTINGS, HYBRID_FLOW: 'on' });
      registrar = await Registrar.of(stage, responseType);
      host = await DocumentHost.start();
    });
    afterEach(async () => {
      await registrar.removeAll();
    });
    afterAll(async () => {
      await host.stop();
      await stage.close();
    });

    it('oidcc-server', async () => {
      const { run, client } = await registrar.begin();
      expect(client['response_types']).toEqual([responseType]);
      await expect(HAPPY['oidcc-server']?.(run)).resolves.toBeUndefined();
    });

    it('oidcc-idtoken-rs256', async () => {
      const { run } = await registrar.begin({ id_token_signed_response_alg: 'RS256' });
      const { idToken, inFront = idToken } = await run.succeed();
      for (const one of [idToken, inFront]) expect(readJwt(one).header).toMatchObject({ alg: 'RS256' });
    });

    // there is nothing to ask userinfo with otherwise
    it.each(responseType === 'id_token' ? [] : ['oidcc-userinfo-rs256'])('%s', async () => {
      const { run } = await registrar.begin({ userinfo_signed_response_alg: 'RS256' });
      const { accessToken, claims } = await run.succeed();
      const answer = await run.userinfo(accessToken ?? '');
      expect(answer.headers['content-type']).toMatch(/^application\/jwt\s*(;|$)/);
      must('userinfo', await signatureFaults('userinfo', answer.body, run.jwks));
      expect(readJwt(answer.body).claims).toMatchObject({ aud: run.client.clientId, sub: claims['sub'] });
    });

    it('oidcc-ensure-redirect-uri-in-authorization-request', async () => {
      const { redirectUri } = stage.suite;
      const { run } = await registrar.begin({ redirect_uris: [redirectUri, `${redirectUri}/other`] });
      await run.expectErrorPage(run.request({ redirect_uri: undefined }), 'redirect_uri');
      expect(stage.suite.received).toEqual([]);
    });

    it('oidcc-redirect-uri-query-OK', async () => {
      const { run } = await registrar.begin({ redirect_uris: [stage.suite.redirectUri + QUERY] });
      await run.succeed();
      const [call] = stage.suite.received;
      expect(call?.query.getAll('dummy1')).toEqual(['lorem']);
      expect(call?.query.getAll('dummy2')).toEqual(['ipsum']);
    });

    it('oidcc-redirect-uri-query-mismatch', async () => {
      const { run } = await registrar.begin({ redirect_uris: [stage.suite.redirectUri + QUERY] });
      const other = `${stage.suite.redirectUri}?dummy1=lorem&dummy2=dolor`;
      await run.expectErrorPage(run.request({ redirect_uri: other }), 'redirect_uri');
      expect(stage.suite.received).toEqual([]);
    });

    it('oidcc-redirect-uri-query-added', async () => {
      const { run } = await registrar.begin();
      await run.expectErrorPage(run.request({ redirect_uri: run.redirectUri + QUERY }), 'redirect_uri');
      expect(stage.suite.received).toEqual([]);
    });

    it('oidcc-registration-jwks-uri', async () => {
      const signer = makeSigner('RS256');
      const { publicJwk, alg } = signer;
      const keys = JSON.stringify({ keys: [{ ...publicJwk, kid: KEY_ID, alg, use: 'sig' }] });
      const jwksUri = host.answer('/jwks', { body: keys });
      const { run, client } = await registrar.begin({ jwks: undefined, jwks_uri: jwksUri }, signer);
      expect(client).not.toHaveProperty('jwks');
      await run.succeed();
      // where there is no code nothing is signed
      if (responseType.includes('code')) expect(host.asked).toContain('/jwks');
    });
  },
);
