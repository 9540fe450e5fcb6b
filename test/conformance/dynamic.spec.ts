import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeSigner, type Signer } from '../support/assertions.js';
import { DocumentHost } from '../support/document-host.js';
import { aServiceUser } from '../support/service-users.js';
import { parametersOf, placeFaults, successFaults, type Arrival } from './checks/authorization-answer.js';
import { discoveryFaults } from './checks/discovery.js';
import { isText, parseObject } from './checks/json.js';
import { keysOf } from './checks/jwks.js';
import { readJwt } from './checks/jwt.js';
import { invalidGrantFaults, refreshAnswerFaults, tokenAnswerFaults } from './checks/token-answer.js';
import { DYNAMIC, published } from './modules/dynamic.js';
import { refreshOnce } from './modules/tokens.js';
import { policySources } from './support/browser.js';
import { DYNAMIC_SETTINGS, Registrar } from './support/dynamic-run.js';
import { randomText, type ModuleRun, type Request } from './support/module-run.js';
import { must, mustBe } from './support/must.js';
import { Stage } from './support/stage.js';

/*
 * The 23 modules of the plan, each with a client that it registers and removes: private_key_jwt, with the initial access token of the
 * suite's configuration. What the suite publishes stands on http of this machine here, as the service trusts certificates of public
 * authorities alone.
 *
 * Not as the suite wants it, on purpose (docs/not-supported.md); these tests hold that it is refused, and that discovery says so:
 * - oidcc-request-uri-unsigned, oidcc-idtoken-unsigned: SKIPPED, as `none` is not offered.
 * - oidcc-registration-logo-uri: the flow goes well, but REVIEW has no picture to look at: the client came with a token, and the page
 *   that asks about those who did not has theirs (test/http/client-registration/client-logos.spec.ts).
 */

let stage: Stage;
let registrar: Registrar;
let host: DocumentHost;

beforeAll(async () => {
  stage = await Stage.build(DYNAMIC_SETTINGS);
  registrar = await Registrar.of(stage);
  host = await DocumentHost.start();
});
afterEach(async () => {
  await registrar.removeAll();
});
afterAll(async () => {
  await host.stop();
  await stage.close();
});

/** The whole request as a request object that the client signs (OpenID Connect Core §6.1, RFC 9101). */
async function signedObject(run: ModuleRun, request: Request, signer: Signer): Promise<string> {
  const now = stage.nowSeconds;
  const claims = { iss: run.client.clientId, aud: run.issuer, iat: now, exp: now + 300 };
  return await new SignJWT({ ...request, ...claims })
    .setProtectedHeader({ alg: signer.alg })
    .sign(signer.privateKey);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** A code that is good for the tokens of the request that was signed. */
async function expectSuccess(
  run: ModuleRun,
  arrival: Arrival | undefined,
  state: string | undefined,
  nonce: string | undefined,
): Promise<void> {
  if (arrival === undefined) throw new Error('nothing reached the application');
  must('callback', placeFaults(arrival, 'query'));
  const parameters = parametersOf(arrival, 'query');
  must(
    'authorization answer',
    successFaults(parameters, { issuer: run.issuer, state, responseType: 'code' }),
  );
  const answer = await run.tokenRequest(run.redemption(parameters.get('code') ?? ''));
  must('token endpoint', tokenAnswerFaults(answer));
  await run.checkIdToken(String(parseObject(answer.body)?.['id_token']), nonce);
}

const REFRESHES = { grant_types: ['authorization_code', 'refresh_token'] };

describe('oidcc-dynamic-certification-test-plan', () => {
  it.each(Object.entries(DYNAMIC))('%s', async (_name, module) => {
    await expect(module(registrar, host)).resolves.toBeUndefined();
  });

  // SKIPPED by the suite as long as this holds
  it('oidcc-idtoken-unsigned', async () => {
    const { run } = await registrar.begin();
    expect(run.document['id_token_signing_alg_values_supported']).not.toContain('none');
    const metadata = registrar.metadata(makeSigner('RS256'), { id_token_signed_response_alg: 'none' });
    expect(await registrar.expectRefused(metadata, 'invalid_client_metadata')).toContain(
      'id_token_signed_response_alg',
    );
  });

  it('oidcc-redirect-uri-regfrag', async () => {
    const redirectUris = [`${stage.suite.redirectUri}#foobar`];
    const metadata = registrar.metadata(makeSigner('RS256'), { redirect_uris: redirectUris });
    const said = await registrar.expectRefused(metadata, 'invalid_redirect_uri', 'invalid_client_metadata');
    expect(said).toContain('fragment');
  });

  it('oidcc-discovery-endpoint-verification', async () => {
    const answer = await stage.http.send(stage.discoveryUrl);
    must('discovery', discoveryFaults(stage.discoveryUrl, answer));
    expect(parseObject(answer.body)).toMatchObject({
      registration_endpoint: expect.stringMatching(/^https:/) as string,
      response_types_supported: expect.arrayContaining(['code', 'id_token', 'id_token token']) as unknown,
      grant_types_supported: expect.arrayContaining(['authorization_code', 'implicit']) as unknown,
    });
  });

  it('oidcc-registration-logo-uri', async () => {
    const uri = `${stage.suite.origin}/logo.png`;
    const { run } = await registrar.begin({ logo_uri: uri });
    // REVIEW: nothing of a stranger's is loaded into the page where a password is typed
    const { page } = await run.travel(run.request(), { looks: true });
    expect(page.html).not.toContain(uri);
    expect(policySources(page, 'img-src')).toEqual(["'self'"]);
    await run.succeed();
    expect(stage.suite.received.filter(({ path }) => path === '/logo.png')).toEqual([]);
  });

  it.each([
    ['policy', 'Privacy policy'],
    ['tos', 'Terms of service'],
  ])('oidcc-registration-%s-uri', async (what, words) => {
    const uri = `${stage.suite.origin}/${what}.html`;
    const { run } = await registrar.begin({ [`${what}_uri`]: uri });
    // REVIEW: the page where somebody signs in has the link
    const { page } = await run.travel(run.request(), { looks: true });
    expect(page.html.replaceAll(/\s+/g, ' ')).toContain(
      `<a href="${uri}" target="_blank" rel="noopener noreferrer nofollow" ><span>${words}</span>`,
    );
    await run.succeed();
  });

  it('oidcc-registration-sector-uri', async () => {
    const sector = host.answer('/sector', { body: JSON.stringify([stage.suite.redirectUri]) });
    const pairwise = { subject_type: 'pairwise', sector_identifier_uri: sector };
    const { run } = await registrar.begin(pairwise);
    expect(run.document['subject_types_supported']).toContain('pairwise');
    const { claims } = await run.succeed();
    expect(host.asked).toContain('/sector');
    expect(claims['sub']).not.toBe(stage.user.userId);
    // another application of the sector, another browser: the same name
    const { run: other } = await registrar.begin(pairwise);
    expect((await other.succeed()).claims['sub']).toBe(claims['sub']);
  });

  it('oidcc-registration-sector-bad', async () => {
    const sector = host.answer('/bad-sector', { body: JSON.stringify([`${stage.suite.origin}/other`]) });
    const pairwise = { subject_type: 'pairwise', sector_identifier_uri: sector };
    const metadata = registrar.metadata(makeSigner('RS256'), pairwise);
    const said = await registrar.expectRefused(metadata, 'invalid_redirect_uri', 'invalid_client_metadata');
    expect(said).toContain('sector_identifier_uri');
  });

  it('oidcc-server-rotate-keys', async () => {
    const { run, client } = await registrar.begin();
    const before = keysOf(run.jwks).map((key) => key['kid']);
    const first = readJwt((await run.succeed()).idToken).header['kid'];
    // an operator's, in place of the suite's manual start
    const root = await aServiceUser(stage.world, 'IAM_OWNER');
    const emergency = { emergency: true, confirm: true };
    expect((await root.call('POST', '/admin/v1/keys/_rotate', emergency)).statusCode).toBe(200);
    const signer = makeSigner('RS256');
    const again = (await registrar.begin({}, signer)).run;
    expect(client['client_id']).not.toBe(again.client.clientId);
    const after = keysOf(again.jwks).map((key) => key['kid']);
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.length).toBe(before.length + 1);
    const second = readJwt((await again.succeed()).idToken).header['kid'];
    expect(second).not.toBe(first);
    expect(before).not.toContain(second);
  });

  it('oidcc-refresh-token-rp-key-rotation', async () => {
    const [before, after] = [makeSigner('RS256'), makeSigner('RS256')];
    const jwksUri = host.answer('/rotated', { body: published(before) });
    const { run, client } = await registrar.begin(
      { ...REFRESHES, jwks: undefined, jwks_uri: jwksUri },
      before,
    );
    const token = await refreshOnce(run, {}, {});
    host.answer('/rotated', { body: published(after, 'suite-key-2') });
    // the suite waits that long
    await stage.advance(60);
    const rotated = await registrar.runAs(client, after, 'suite-key-2');
    const answer = await rotated.tokenRequest({ grant_type: 'refresh_token', refresh_token: token });
    must('refresh with the new key', refreshAnswerFaults(answer));
  });

  // SKIPPED by the suite as long as `none` is not offered
  it('oidcc-request-uri-unsigned', async () => {
    const requestUri = host.answer('/unsigned', { body: 'e30.e30.' });
    const { run } = await registrar.begin({ request_uris: [requestUri] });
    expect(run.document['request_object_signing_alg_values_supported']).not.toContain('none');
    const { response_type, client_id, scope, redirect_uri } = run.request();
    const sent = { response_type, client_id, scope, redirect_uri, request_uri: requestUri };
    const { arrival, signIns } = await run.travel(sent);
    expect(signIns).toBe(0);
    expect(arrival?.call.query.get('error')).toBe('invalid_request_uri');
  });

  it('oidcc-request-uri-signed-rs256', async () => {
    const signer = makeSigner('RS256');
    // the hash of something else, as what will stand there is not known at registration
    const requestUri = `${host.origin}/requesturi/${randomText(64)}#${sha256(randomText(64))}`;
    const { run, client } = await registrar.begin({ request_uris: [requestUri] }, signer);
    expect(client['request_uris']).toEqual([requestUri]);
    expect(run.document['request_uri_parameter_supported']).toBe(true);
    expect(run.document['request_object_signing_alg_values_supported']).toContain('RS256');
    const request = run.request();
    // says nothing of when
    const body = await new SignJWT({ ...request, aud: run.issuer, iss: run.client.clientId })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(signer.privateKey);
    const { pathname } = new URL(requestUri);
    host.answer(pathname, { headers: { 'content-type': 'application/jwt' }, body });
    const { response_type, client_id, scope, redirect_uri, state, nonce } = request;
    const { arrival } = await run.travel({
      response_type,
      client_id,
      scope,
      redirect_uri,
      request_uri: requestUri,
    });
    expect(host.asked).toContain(pathname);
    await expectSuccess(run, arrival, state, nonce);
  });

  it('oidcc-ensure-request-object-with-redirect-uri', async () => {
    const signer = makeSigner('RS256');
    const { run } = await registrar.begin({}, signer);
    const request = run.request();
    const { response_type, client_id, scope, state } = request;
    const { arrival } = await run.travel({
      response_type,
      client_id,
      scope,
      redirect_uri: `${run.redirectUri}_invalid`,
      request: await signedObject(run, request, signer),
    });
    await expectSuccess(run, arrival, state, request['nonce']);
  });

  it('oidcc-refresh-token', async () => {
    const scope = 'openid offline_access';
    const { run: first } = await registrar.begin(REFRESHES);
    expect(first.document['grant_types_supported']).toContain('refresh_token');
    await refreshOnce(first, {}, { scope });
    const { run: second } = await registrar.begin(REFRESHES);
    const token = await refreshOnce(second, { nonce: randomText(43) }, {});
    const stolen = await first.tokenRequest({ grant_type: 'refresh_token', refresh_token: token });
    must("another client's refresh token", invalidGrantFaults(stolen));
  });

  it('oidcc-ensure-client-assertion-with-iss-aud-succeeds', async () => {
    const { run } = await registrar.begin();
    const { arrival } = await run.travel(run.request());
    const code = arrival?.call.query.get('code');
    expect(isText(code)).toBe(true);
    const answer = await run.assertedRequest(run.redemption(code ?? ''), run.issuer);
    must('token endpoint', tokenAnswerFaults(answer));
    mustBe('status', answer.status, 200);
  });
});
