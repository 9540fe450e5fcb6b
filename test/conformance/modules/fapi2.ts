import { createHash, X509Certificate } from 'node:crypto';
import { makeSigner } from '../../support/assertions.js';
import { aProofKey, type ProofChanges } from '../../support/dpop.js';
import { asText, isTextList, parseObject, type Json } from '../checks/json.js';
import { readJwt, signatureFaults } from '../checks/jwt.js';
import { mustRefuse, PAR, type Fapi2Run } from '../support/fapi2-run.js';
import { randomText, VERIFIER } from '../support/module-run.js';
import { must, mustBe } from '../support/must.js';

// Modules of `fapi2-security-profile-final-test-plan`, for openid_connect and plain_fapi, by their names without the
// prefix. The plan of
// Message Signing has the same ones, with requests and answers signed, and those of its own below.

export type Fapi2Modules = Readonly<Record<string, (run: Fapi2Run) => Promise<void>>>;

const SIGNED_BY = new Set(['PS256', 'ES256', 'EdDSA', 'Ed25519']);

async function succeeds(run: Fapi2Run, changes: Record<string, string | undefined>): Promise<void> {
  const tokens = await run.tokens(changes);
  mustBe('status of the resource', (await run.resource(tokens['access_token'])).status, 200);
}

async function assertionIsRefused(
  run: Fapi2Run,
  claims: Record<string, unknown>,
  endpoint: 'par' | 'token' = 'par',
): Promise<void> {
  const assertion = { claims };
  const answer =
    endpoint === 'par'
      ? await run.push({}, { assertion })
      : await run.redeem(await run.code(), { assertion });
  mustRefuse('assertion', answer, 'invalid_client', 'invalid_request');
}

/** RFC 9449 §4.3: each with one thing missing or wrong. */
const BAD_PROOFS: readonly ProofChanges[] = [
  { header: { typ: 'jwt' } },
  { header: { typ: undefined } },
  { header: { jwk: undefined } },
  { header: { jwk: { ...makeSigner('ES256').privateKey.export({ format: 'jwk' }) } } },
  { claims: { jti: undefined } },
  { claims: { htm: undefined } },
  { claims: { htm: 'PUT' } },
  { claims: { htu: undefined } },
  { claims: { htu: 'https://other.test/' } },
  { claims: { iat: undefined } },
  { claims: { ath: undefined } },
  { claims: { ath: 'AAAA' } },
];

export const FAPI2_MODULES: Fapi2Modules = {
  'discovery-end-point-verification': async ({ run }) => {
    const { document } = run;
    const lists = [
      'dpop_signing_alg_values_supported',
      'id_token_signing_alg_values_supported',
      'token_endpoint_auth_signing_alg_values_supported',
      'userinfo_signing_alg_values_supported',
    ];
    must('discovery', [
      ...(isTextList(document['response_types_supported']) &&
      document['response_types_supported'].includes('code')
        ? []
        : ['no response type code']),
      ...lists.filter((name) => {
        const values = document[name];
        return !isTextList(values) || !values.some((one) => SIGNED_BY.has(one));
      }),
    ]);
    mustBe('iss', document['authorization_response_iss_parameter_supported'], true);
    mustBe('PAR', asText(document[PAR]).startsWith('https://'), true);
    mustBe('challenges', document['code_challenge_methods_supported'], ['S256']);
    await Promise.resolve();
  },
  'happy-flow': async (run) => {
    for (const one of [run, run.asSecond()]) {
      const tokens = await one.tokens();
      const { header, claims } = readJwt(asText(tokens['id_token']));
      must('alg of the ID token', SIGNED_BY.has(asText(header['alg'])) ? [] : [asText(header['alg'])]);
      mustBe('aud of the ID token', [claims['aud']].flat(), [one.client.clientId]);
      // a WARN: nobody asked for it
      mustBe('cnf in the ID token', 'cnf' in claims, false);
      const answer = await one.resource(tokens['access_token']);
      mustBe('status of the resource', answer.status, 200);
      mustBe('Date of the resource', typeof answer.headers['date'], 'string');
      const inQuery = `${one.endpoint('userinfo_endpoint')}?access_token=${asText(tokens['access_token'])}`;
      mustBe('status with the token in the query', (await one.run.stage.http.send(inQuery)).status, 401);
    }
  },
  'user-rejects-authentication': async (run) => {
    const answer = await run.authorize(await run.pushed({ state: 'a state' }), {}, true);
    mustBe('error', answer.get('error'), 'access_denied');
    mustBe('state', answer.get('state'), 'a state');
    mustBe('iss', answer.get('iss'), run.issuer);
    mustBe('code', answer.get('code'), null);
  },
  'ensure-authorization-request-without-state-success': async (run) => succeeds(run, { state: undefined }),
  'ensure-authorization-request-without-nonce-success': async (run) => succeeds(run, { nonce: undefined }),
  'ensure-authorization-request-with-64-char-nonce-success': async (run) =>
    succeeds(run, { nonce: randomText(64) }),
  'ensure-other-scope-order-succeeds': async (run) => succeeds(run, { scope: 'offline_access openid' }),
  'par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted': async (run) => {
    await run.pushed({}, { assertion: { claims: { nbf: run.now + 8, iat: run.now + 8 } } });
  },
  'ensure-dpopproof-with-iat-10seconds-before-succeeds': async (run) => {
    const answer = await run.redeem(await run.code(), { proof: { claims: { iat: run.now - 10 } } });
    mustBe('status', answer.status, 200);
  },
  'ensure-dpopproof-with-iat-10seconds-after-succeeds': async (run) => {
    const answer = await run.redeem(await run.code(), { proof: { claims: { iat: run.now + 10 } } });
    mustBe('status', answer.status, 200);
  },
  'access-token-type-header-case-sensitivity': async (run) => {
    const { access_token: token } = await run.tokens();
    const scheme = run.isBoundByProof ? 'dPoP' : 'bEARER';
    mustBe('status', (await run.resource(token, {}, run.key, scheme)).status, 200);
  },
  'check-dpop-proof-nbf-exp': async (run) => {
    const claims = { nbf: run.now, exp: run.now + 60 };
    mustBe('status', (await run.redeem(await run.code(), { proof: { claims } })).status, 200);
  },
  'ensure-dpopproof-at-par-endpoint-binding-success': async (run) => succeeds(run, {}),
  'par-without-duplicate-parameters': async (run) => succeeds(run, {}),
  'ensure-authorization-request-with-long-nonce': async (run) => {
    const nonce = randomText(384);
    mustBe('nonce', readJwt(asText((await run.tokens({ nonce }))['id_token'])).claims['nonce'], nonce);
  },
  'ensure-authorization-request-with-long-state': async (run) => {
    const state = randomText(384);
    mustBe('state', (await run.authorize(await run.pushed({ state }))).get('state'), state);
  },
  'ensure-different-state-inside-and-outside-request-object': async (run) => {
    const name = await run.pushed({ state: 'inside' });
    mustBe('state', (await run.authorize(name, { state: 'outside' })).get('state'), 'inside');
  },
  'state-only-outside-request-object-not-used': async (run) => {
    const name = await run.pushed({ state: undefined });
    mustBe('state', (await run.authorize(name, { state: 'outside' })).get('state'), null);
  },
  'ensure-different-nonce-inside-and-outside-request-object': async (run) => {
    const answer = await run.authorize(await run.pushed({ nonce: 'inside' }), { nonce: 'outside' });
    const tokens = parseObject((await run.redeem(answer.get('code') ?? '')).body);
    mustBe('nonce', readJwt(asText(tokens?.['id_token'])).claims['nonce'], 'inside');
  },
  'ensure-signed-client-assertion-with-RS256-fails': async (run) => {
    // of the two clients this one has a key that could sign so
    const answer = await run.asSecond().push({}, { assertion: { header: { alg: 'RS256' } } });
    mustRefuse('assertion', answer, 'invalid_client');
  },
  'par-test-array-as-audience-fails': async (run) => {
    for (const aud of [[run.issuer, 'https://other.test'], [run.issuer]])
      await assertionIsRefused(run, { aud });
  },
  'par-test-par-endpoint-url-as-audience-fails': async (run) =>
    assertionIsRefused(run, { aud: run.endpoint(PAR) }),
  'par-test-token-endpoint-url-as-audience-fails': async (run) =>
    assertionIsRefused(run, { aud: run.endpoint('token_endpoint') }),
  'ensure-invalid-client-assertions-fail': async (run) => {
    await assertionIsRefused(run, { iss: run.clients.second.clientId });
    await assertionIsRefused(run, { exp: undefined });
  },
  'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails': async (run) =>
    assertionIsRefused(run, { nbf: run.now + 70, iat: run.now + 70, exp: run.now + 200 }),
  'ensure-response-type-code-idtoken-fails': async (run) => {
    const answer = await run.push({ response_type: 'code id_token' });
    mustRefuse('request', answer, 'unsupported_response_type', 'invalid_request', 'unauthorized_client');
  },
  'ensure-response-type-token-fails': async (run) => {
    const answer = await run.push({ response_type: 'token' });
    mustRefuse('request', answer, 'unsupported_response_type', 'invalid_request', 'unauthorized_client');
  },
  'ensure-request-object-without-redirect-uri-fails': async (run) => {
    mustRefuse('request', await run.push({ redirect_uri: undefined }), 'invalid_request');
  },
  'ensure-redirect-uri-in-authorization-request': async (run) => {
    const elsewhere = { redirect_uri: `${run.run.redirectUri}/elsewhere` };
    mustRefuse('request', await run.push(elsewhere), 'invalid_request', 'invalid_redirect_uri');
  },
  'par-ensure-pkce-required': async (run) => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    mustRefuse('request', await run.push(without), 'invalid_request');
  },
  'par-plain-pkce-rejected': async (run) => {
    const plain = { code_challenge: VERIFIER, code_challenge_method: 'plain' };
    mustRefuse('request', await run.push(plain), 'invalid_request');
  },
  'ensure-pkce-code-verifier-required': async (run) => {
    const answer = await run.redeem(await run.code(), {}, { code_verifier: undefined });
    mustRefuse('redemption', answer, 'invalid_grant');
  },
  'incorrect-pkce-code-verifier-rejected': async (run) => {
    const answer = await run.redeem(await run.code(), {}, { code_verifier: 'x'.repeat(43) });
    mustRefuse('redemption', answer, 'invalid_grant');
  },
  'par-attempt-invalid-http-method': async (run) => {
    const { status } = await run.run.stage.http.send(run.endpoint(PAR));
    mustBe('status', [404, 405].includes(status), true);
  },
  'par-authorization-request-containing-request_uri-form-param': async (run) => {
    const name = await run.pushed();
    const answer = await run.send(PAR, { ...run.request(), request_uri: name });
    mustRefuse('request', answer, 'invalid_request');
  },
  'par-attempt-to-use-request_uri-for-different-client': async (run) => {
    await run.asSecond().expectPageInstead(await run.pushed());
  },
  'par-attempt-to-use-expired-request_uri': async (run) => {
    const name = await run.pushed();
    await run.run.stage.advance(91);
    await run.expectPageInstead(name);
  },
  'par-attempt-reuse-request_uri': async (run) => {
    const name = await run.pushed();
    await run.authorize(name);
    await run.expectPageInstead(name);
  },
  'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': async (run) => {
    const name = await run.pushed();
    // the page is loaded, and nobody signs in
    const { page, arrival } = await run.load(name);
    mustBe('calls of the application', arrival, undefined);
    mustBe('status of the page', page.status, 200);
    mustBe('error', (await run.authorize(name)).get('error'), null);
    await run.expectPageInstead(name);
  },
  'ensure-registered-redirect-uri': async (run) => {
    const elsewhere = { redirect_uri: 'https://unregistered.test/callback' };
    mustRefuse('request', await run.push(elsewhere), 'invalid_request', 'invalid_redirect_uri');
  },
  'test-claims-parameter-identity-claims': async (run) => {
    const claims = {
      id_token: { given_name: { essential: true }, birthdate: null },
      userinfo: { email: { essential: true }, phone_number: null },
    };
    // inside a request object it is JSON, and text in a form
    const tokens = await run.tokens({ scope: 'openid offline_access', claims: JSON.stringify(claims) });
    const inIdToken = readJwt(asText(tokens['id_token'])).claims;
    mustBe('given_name of the ID token', inIdToken['given_name'], 'Buffy');
    mustBe('birthdate of the ID token', inIdToken['birthdate'], '1981-01-19');
    mustBe('email of the ID token', inIdToken['email'], undefined);
    const { email, phone_number: phone } =
      parseObject((await run.resource(tokens['access_token'])).body) ?? {};
    mustBe('email of userinfo', email, 'buffy@sunnydale.example');
    mustBe('phone_number of userinfo', phone, '+13105550119');
  },
  'ensure-client-assertion-in-token-endpoint': async (run) => {
    const answer = await run.redeem(await run.code(), {
      authentication: { client_id: run.client.clientId },
    });
    mustRefuse('redemption', answer, 'invalid_client', 'invalid_request');
  },
  'ensure-client-assertion-with-wrong-aud-fails': async (run) =>
    assertionIsRefused(run, { aud: 'https://other.test' }, 'token'),
  'ensure-client-assertion-with-no-sub-fails': async (run) =>
    assertionIsRefused(run, { sub: undefined }, 'token'),
  'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails': async (run) =>
    assertionIsRefused(run, { exp: run.now - 300, iat: run.now - 400, nbf: run.now - 400 }, 'token'),
  'ensure-client-id-in-token-endpoint': async (run) => {
    const answer = await run.redeem(await run.code(), {}, { client_id: run.clients.second.clientId });
    mustRefuse('redemption', answer, 'invalid_client', 'invalid_grant', 'invalid_request');
  },
  'ensure-authorization-code-is-bound-to-client': async (run) => {
    mustRefuse('redemption', await run.asSecond().redeem(await run.code()), 'invalid_grant');
  },
  'attempt-reuse-authorization-code-after-one-second': async (run) => {
    const code = await run.code();
    const { access_token: token } = parseObject((await run.redeem(code)).body) ?? {};
    await run.run.stage.advance(1);
    mustRefuse('redemption', await run.redeem(code), 'invalid_grant');
    mustBe('status of the resource', (await run.resource(token)).status, 401);
  },
  'ensure-token-endpoint-fails-with-expired-auth-code': async (run) => {
    const code = await run.code();
    await run.run.stage.advance(62);
    mustRefuse('redemption', await run.redeem(code), 'invalid_grant');
  },
  'ensure-holder-of-key-required': async (run) => {
    const answer = await run.redeem(await run.code(), run.unproven);
    mustRefuse(
      'redemption',
      answer,
      'invalid_dpop_proof',
      'invalid_request',
      'invalid_grant',
      // who shows no certificate has not authenticated by it either
      'invalid_client',
    );
  },
  'ensure-mismatched-dpop-jkt-fails': async (run) => {
    const answer = await run.push({ dpop_jkt: (await aProofKey()).jkt });
    mustRefuse('request', answer, 'invalid_dpop_proof', 'invalid_request');
  },
  'ensure-token-endpoint-fails-with-mismatched-dpop-jkt': async (run) => {
    const code = await run.code({ dpop_jkt: run.key.jkt }, { proof: false });
    const answer = await run.redeem(code, { key: await aProofKey() });
    mustRefuse('redemption', answer, 'invalid_dpop_proof', 'invalid_grant');
  },
  'ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt': async (run) => {
    const answer = await run.redeem(await run.code(), { key: await aProofKey() });
    mustRefuse('redemption', answer, 'invalid_dpop_proof', 'invalid_grant');
  },
  'ensure-dpop-auth-code-binding-success': async (run) => {
    const code = await run.code({ dpop_jkt: run.key.jkt }, { proof: false });
    mustBe('status', (await run.redeem(code)).status, 200);
  },
  'dpop-negative-tests': async (run) => {
    const { access_token: token } = await run.tokens();
    for (const changes of BAD_PROOFS) {
      const { status } = await run.resource(token, changes);
      must(JSON.stringify(changes), [400, 401].includes(status) ? [] : [`status is ${status}`]);
    }
    const other = await run.resource(token, {}, await aProofKey());
    mustBe('status with another key', other.status, 401);
    mustBe('status with a good proof', (await run.resource(token)).status, 200);
  },
  'refresh-token': async (run) => {
    const { refresh_token: token } = await run.tokens();
    const form = { grant_type: 'refresh_token', refresh_token: asText(token) };
    const refreshed = await run.send('token_endpoint', form);
    mustBe('status', refreshed.status, 200);
    const { access_token: fresh, refresh_token: next } = parseObject(refreshed.body) ?? {};
    mustBe('status of the resource', (await run.resource(fresh)).status, 200);
    mustBe('another refresh token', next, undefined);
    mustRefuse('other client', await run.asSecond().send('token_endpoint', form), 'invalid_grant');
    const nobody = { authentication: { client_id: run.client.clientId }, certificate: false } as const;
    mustRefuse(
      'no authentication',
      await run.send('token_endpoint', form, nobody),
      'invalid_client',
      'invalid_request',
      'invalid_grant',
    );
    const unproven = await run.send('token_endpoint', form, run.unproven);
    mustRefuse(
      'no proof',
      unproven,
      'invalid_dpop_proof',
      'invalid_request',
      'invalid_grant',
      'invalid_client',
    );
  },
};

/** Where tokens are bound to certificates (RFC 8705 §3), in place of those about proofs. */
export const CERTIFICATE_MODULES: Fapi2Modules = {
  'ensure-mtls-bound-token-needs-its-certificate': async (run) => {
    const { access_token: token } = await run.tokens();
    mustBe('status with the certificate', (await run.resource(token)).status, 200);
    mustBe('status without', (await run.resourceBy(token, undefined)).status, 401);
    const { certificate } = run.clients.second;
    mustBe('status with that of another client', (await run.resourceBy(token, certificate)).status, 401);
  },
  'ensure-mtls-bound-token-says-so': async (run) => {
    const { access_token: token } = await run.tokens();
    const answer = await run.send('introspection_endpoint', { token: asText(token) });
    // signed where messages are (RFC 9701 §5)
    if (run.signsMessages) must('answer', await signatureFaults('answer', answer.body, run.run.jwks));
    const said = run.signsMessages
      ? (readJwt(answer.body).claims['token_introspection'] as Json)
      : parseObject(answer.body);
    const { cnf } = said ?? {};
    const der = new X509Certificate(run.client.certificate?.cert ?? '').raw;
    mustBe('cnf', cnf, { 'x5t#S256': createHash('sha256').update(der).digest('base64url') });
  },
};

/** Where the certificate is what authenticates (RFC 8705 §2). */
export const CERTIFICATE_AUTH_MODULES: Fapi2Modules = {
  'ensure-client-certificate-is-the-own-one': async (run) => {
    const { certificate } = run.clients.second;
    for (const other of [false, certificate ?? false] as const) {
      const answer = await run.push({}, { certificate: other });
      mustRefuse('request', answer, 'invalid_client');
    }
  },
};

/** Those of a plan that a variant leaves out: about proofs where there are none, and about assertions where a certificate is shown. */
export function without(modules: Fapi2Modules, ...parts: readonly RegExp[]): Fapi2Modules {
  return Object.fromEntries(
    Object.entries(modules).filter(([name]) => !parts.some((part) => part.test(name))),
  );
}
export const ABOUT_PROOFS = /dpop/;
export const ABOUT_ASSERTIONS = /client-assertion|audience-fails/;

/** Not of the plan: one for profiles in which redirect URIs must be registered, and one of our own. */
export const BESIDE_THE_PLAN = /^(?:ensure-registered-redirect-uri|ensure-invalid-client-assertions-fail)$/;

/** Where requests need not be signed. */
export const PLAIN_MODULES: Fapi2Modules = {
  // RFC 9126 §2.4 lets a service take another redirect URI of a client that has authenticated, and FAPI 2.0 §5.3.2.2 lets it refuse it:
  // then at once, to the client, and never by the browser
  'plain-fapi-tolerate-unregistered-redirect-uri': async (run) => {
    const elsewhere = `${run.run.redirectUri}?unregistered=${randomText(10)}`;
    mustRefuse(
      'request',
      await run.push({ redirect_uri: elsewhere }),
      'invalid_request',
      'invalid_redirect_uri',
    );
  },
  'ensure-unsigned-authorization-request-without-using-par-fails': async (run) => {
    const { arrival } = await run.run.travel(run.request());
    mustBe('error', arrival?.call.query.get('error'), 'invalid_request');
  },
};

async function objectIsRefused(run: Fapi2Run, changes: Record<string, unknown>): Promise<void> {
  const request = await run.requestObject(run.request(), changes);
  const answer = await run.send(PAR, { client_id: run.client.clientId, request });
  mustRefuse('request object', answer, 'invalid_request_object', 'invalid_request');
}

async function objectIsTaken(run: Fapi2Run, changes: Record<string, unknown>): Promise<void> {
  const request = await run.requestObject(run.request(), changes);
  const answer = await run.send(PAR, { client_id: run.client.clientId, request });
  mustBe('status', answer.status, 201);
}

/** Of `fapi2-message-signing-final-test-plan`, with signed_non_repudiation and jarm. */
export const MESSAGE_MODULES: Fapi2Modules = {
  'ensure-request-object-with-multiple-aud-succeeds': async (run) =>
    objectIsTaken(run, { aud: [run.issuer, 'https://other.test'] }),
  'ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted': async (run) =>
    objectIsTaken(run, { nbf: run.now + 8 }),
  'ensure-signed-request-object-with-RS256-fails': async (run) => {
    const second = run.asSecond();
    const request = await second.requestObject(second.request(), {}, 'RS256');
    const answer = await second.send(PAR, { client_id: second.client.clientId, request });
    mustRefuse('request object', answer, 'invalid_request_object');
  },
  'ensure-request-object-signature-algorithm-is-not-none': async (run) => {
    const [, claims = ''] = (await run.requestObject(run.request())).split('.');
    const head = Buffer.from(JSON.stringify({ alg: 'none', kid: run.client.keyId })).toString('base64url');
    const answer = await run.send(PAR, { client_id: run.client.clientId, request: `${head}.${claims}.` });
    mustRefuse('request object', answer, 'invalid_request_object');
  },
  'ensure-request-object-with-invalid-signature-fails': async (run) => {
    const [head, claims] = (await run.requestObject(run.request())).split('.');
    const signature = Buffer.alloc(64, 1).toString('base64url');
    const request = `${head ?? ''}.${claims ?? ''}.${signature}`;
    const answer = await run.send(PAR, { client_id: run.client.clientId, request });
    mustRefuse('request object', answer, 'invalid_request_object');
  },
  'ensure-matching-key-in-authorization-request': async (run) => {
    const request = await run.asSecond().requestObject(run.request(), { iss: run.client.clientId });
    const answer = await run.send(PAR, { client_id: run.client.clientId, request });
    mustRefuse('request object', answer, 'invalid_request_object');
  },
  'par-authorization-request-containing-request_uri': async (run) =>
    objectIsRefused(run, { request_uri: await run.pushed() }),
  'ensure-unsigned-request-at-par-endpoint-fails': async (run) => {
    mustRefuse('request', await run.send(PAR, run.request()), 'invalid_request', 'invalid_request_object');
  },
  'ensure-request-object-with-exp-over-60-fails': async (run) =>
    objectIsRefused(run, { exp: run.now + 4_200 }),
  'ensure-request-object-with-nbf-over-60-fails': async (run) =>
    objectIsRefused(run, { nbf: run.now - 4_200 }),
  'ensure-request-object-without-exp-fails': async (run) => objectIsRefused(run, { exp: undefined }),
  'ensure-request-object-without-nbf-fails': async (run) => objectIsRefused(run, { nbf: undefined }),
  'ensure-request-object-with-bad-aud-fails': async (run) =>
    objectIsRefused(run, { aud: 'https://other.test' }),
  'ensure-expired-request-object-fails': async (run) =>
    objectIsRefused(run, { nbf: run.now - 600, exp: run.now - 300 }),
};
