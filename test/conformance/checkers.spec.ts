import { createHash, generateKeyPairSync } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  errorFaults,
  parametersOf,
  placeFaults,
  successFaults,
  type Arrival,
  type Place,
} from './checks/authorization-answer.js';
import {
  claimsOutOfPlaceFaults,
  claimTypeFaults,
  missingClaimFaults,
  unaskedClaimFaults,
} from './checks/claims.js';
import { discoveryFaults, endpointFaults, usableDocumentFaults } from './checks/discovery.js';
import { entropyFaults, shannonBits } from './checks/entropy.js';
import { hashFaults, idTokenFaults, refreshedIdTokenFaults } from './checks/id-token.js';
import type { Json } from './checks/json.js';
import { jwksFaults } from './checks/jwks.js';
import { halfHash } from './checks/jwt.js';
import { logoutRequestFaults } from './checks/logout-token.js';
import { invalidGrantFaults, refreshAnswerFaults, tokenAnswerFaults } from './checks/token-answer.js';
import { userinfoFaults } from './checks/userinfo.js';
import type { Page } from './support/browser.js';
import { CookieJar } from './support/cookie-jar.js';
import { formsOf } from './support/html-form.js';
import type { Answer } from './support/https-client.js';
import { postingPageFaults } from './support/service-pages.js';

// The ring is worth what its checks are worth: each of them lets a good answer pass and notices each bad one.

const NOW = 1_790_000_000;
const ISSUER = 'https://id.example';
const CLIENT = 'client-1';
const NONCE = 'n-0S6_WzA2Mj';
const RANDOM = 'dPzcJ1rYv0q7Xh3KfWm9ZtLb2sNgA5eUiRoC8yTxQkE';

/** Good claims, header and key set of an ID token; a test changes what it is about. */
const good = {
  iss: ISSUER,
  aud: CLIENT,
  sub: '42',
  iat: NOW,
  exp: NOW + 3600,
  auth_time: NOW - 60,
  nonce: NONCE,
};
const keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
let publicKey: Json;

beforeAll(async () => {
  publicKey = { ...(await exportJWK(keyPair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
});

const signed = async (claims: Json, { header = {}, key = keyPair.privateKey } = {}) =>
  await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key);

const without = (claims: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));

const answer = (body: Json | string, changes: Partial<Answer> = {}): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...changes,
});

describe('the check of ID tokens', () => {
  const faultsOf = async (token: string, nonce: string | undefined = NONCE, keys?: readonly Json[]) =>
    await idTokenFaults(token, {
      issuer: ISSUER,
      clientId: CLIENT,
      nonce,
      jwks: { keys: keys ?? [publicKey] },
      nowSeconds: NOW,
    });

  it('lets a good one pass', async () => {
    expect(await faultsOf(await signed(good))).toEqual([]);
    expect(await faultsOf(await signed({ ...good, aud: ['other', CLIENT], acr: '1' }))).toEqual([]);
  });

  it.each<[string, Json]>([
    ['an issuer with a slash more', { iss: `${ISSUER}/` }],
    ['another audience', { aud: 'other' }],
    ['an audience list without the client', { aud: ['other'] }],
    ['no audience', { aud: undefined }],
    ['another nonce', { nonce: 'x' }],
    ['no nonce', { nonce: undefined }],
    ['no exp', { exp: undefined }],
    ['an exp that is over', { exp: NOW - 301 }],
    ['an exp in milliseconds', { exp: (NOW + 3600) * 1000 }],
    ['an exp that is text', { exp: String(NOW + 3600) }],
    ['no iat', { iat: undefined }],
    ['an old iat', { iat: NOW - 301 }],
    ['an iat to come', { iat: NOW + 301 }],
    ['an auth_time that is text', { auth_time: String(NOW) }],
    ['an auth_time in milliseconds', { auth_time: NOW * 1000 }],
    ['an auth_time of long ago', { auth_time: 1 }],
    ['an empty acr', { acr: '' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a sub beyond ASCII', { sub: 'é' }],
    ['a long sub', { sub: 'x'.repeat(256) }],
    ['a null claim', { email: null }],
    ['a flag that is text', { email_verified: 'true' }],
  ])('notices %s', async (_name, changes) => {
    expect(await faultsOf(await signed({ ...good, ...changes }))).not.toEqual([]);
  });

  it('notices a nonce that nobody sent', async () => {
    expect(await faultsOf(await signed(good), '')).not.toEqual([]);
    const { issuer, clientId, jwks, nowSeconds } = {
      issuer: ISSUER,
      clientId: CLIENT,
      jwks: { keys: [publicKey] },
      nowSeconds: NOW,
    };
    const unasked = { issuer, clientId, jwks, nowSeconds, nonce: undefined };
    expect(await idTokenFaults(await signed(good), unasked)).toEqual([
      'ID token: nonce is not that of the request',
    ]);
    expect(await idTokenFaults(await signed(without(good, 'nonce')), unasked)).toEqual([]);
  });

  it('notices signatures of other keys, none, and keys that leave a choice', async () => {
    expect(await faultsOf(await signed(good, { key: stranger.privateKey }))).not.toEqual([]);
    expect(await faultsOf(await signed(good, { header: { kid: 'k2' } }))).not.toEqual([]);
    expect(await faultsOf(await signed(good), NONCE, [publicKey, { ...publicKey }])).not.toEqual([]);
    expect(await faultsOf(await signed(good), NONCE, [{ ...publicKey, alg: 'RS512' }])).not.toEqual([]);
    expect(await faultsOf(await signed(good), NONCE, [{ ...publicKey, use: 'enc' }])).not.toEqual([]);
    const [header = '', claims = '', signature = ''] = (await signed(good)).split('.');
    const forged = Buffer.from(JSON.stringify({ ...good, sub: '43' })).toString('base64url');
    expect(await faultsOf(`${header}.${forged}.${signature}`)).not.toEqual([]);
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect(await faultsOf(`${none}.${claims}.`)).not.toEqual([]);
  });

  it('knows the hashes of tokens and codes', async () => {
    // the example of OpenID Connect Core A.4 and A.6
    expect(halfHash('RS256', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y')).toBe('77QmUPtjPfzWtF2AnpK9RQ');
    expect(halfHash('RS256', 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk')).toBe(
      'LDktKdoQak3Pk0cnXxCltA',
    );
    const half = createHash('sha512').update('t').digest().subarray(0, 32).toString('base64url');
    expect(halfHash('EdDSA', 't')).toBe(half);
    const right = await signed({ ...good, at_hash: halfHash('RS256', 't') });
    const at = { claim: 'at_hash', value: 't' } as const;
    expect(hashFaults(right, { ...at, required: true })).toEqual([]);
    expect(hashFaults(right, { ...at, value: 'u', required: false })).toEqual(['ID token: at_hash is wrong']);
    const bare = await signed(good);
    expect(hashFaults(bare, { ...at, required: true })).toEqual(['ID token: at_hash is missing']);
    expect(hashFaults(bare, { ...at, required: false })).toEqual([]);
    const whole = createHash('sha256').update('t').digest('base64url');
    const wrong = await signed({ ...good, at_hash: whole, c_hash: whole });
    expect(hashFaults(wrong, { ...at, required: true })).toHaveLength(1);
    expect(hashFaults(wrong, { claim: 'c_hash', value: 't', required: false })).toHaveLength(1);
  });

  it('compares a refreshed one with the first', () => {
    const later = { ...good, iat: NOW + 1 };
    expect(refreshedIdTokenFaults(good, later)).toEqual([]);
    expect(refreshedIdTokenFaults(good, without(later, 'auth_time'))).toEqual([]);
    for (const changes of [
      { iat: NOW },
      { iat: undefined },
      { iss: 'x' },
      { sub: 'x' },
      { aud: [CLIENT] },
      { azp: CLIENT },
      { auth_time: NOW },
    ]) {
      expect(refreshedIdTokenFaults(good, { ...later, ...changes }), JSON.stringify(changes)).toHaveLength(1);
    }
  });
});

describe('the check of claims', () => {
  const all = {
    sub: '42',
    name: 'Ada',
    birthdate: '1815-12-10',
    email: 'ada@example.com',
    email_verified: true,
    updated_at: NOW,
    address: { country: 'GB', planet: 'Earth' },
    made_up: null,
  };
  const faultsOf = (changes: Json) =>
    claimTypeFaults('userinfo', { ...all, birthdate: '1970', ...changes }, NOW);

  it.each([{}, { birthdate: '1990-02-28' }, { birthdate: '0000-02-29' }, { birthdate: '2000-02-29' }])(
    'lets %j pass',
    (changes) => expect(faultsOf(changes)).toEqual([]),
  );

  it.each<Json>([
    { name: '' },
    { name: ' ' },
    { name: null },
    { name: 'null' },
    { name: 42 },
    { phone_number: '' },
    { email_verified: 'true' },
    { phone_number_verified: null },
    { updated_at: String(NOW) },
    { updated_at: NOW * 1000 },
    { updated_at: 1 },
    { birthdate: '10.12.1815' },
    { birthdate: '1815-12-10' },
    { birthdate: '1990-02-30' },
    { birthdate: '1990-13-01' },
    { birthdate: '1849' },
    { birthdate: '' },
    { birthdate: '3000-01-01' },
    { address: {} },
    { address: 'Earth' },
    { address: { country: '' } },
    { address: { country: null } },
    { _claim_names: [] },
  ])('notices %j', (changes) => expect(faultsOf(changes)).toHaveLength(1));

  it('knows what was asked for', () => {
    expect(
      unaskedClaimFaults({ ...good, amr: ['pwd'], azp: CLIENT, jti: 'x', sid: 's', acr: '1' }, 'openid'),
    ).toEqual([]);
    expect(unaskedClaimFaults({ ...good, client_id: CLIENT }, 'openid')).toHaveLength(1);
    expect(unaskedClaimFaults({ ...good, 'urn:vendor:org': '1' }, 'openid')).toHaveLength(1);
    expect(unaskedClaimFaults({ ...good, email: 'a@b' }, 'openid')).toHaveLength(1);
    expect(unaskedClaimFaults({ ...good, email: 'a@b' }, 'openid email')).toEqual([]);
  });

  it('misses what is missing, and sees what stands in the wrong place', () => {
    const email = { sub: '42', email: 'a@b', email_verified: true };
    expect(missingClaimFaults('userinfo', email, 'openid email')).toEqual([]);
    expect(missingClaimFaults('userinfo', without(email, 'email_verified'), 'openid email')).toHaveLength(1);
    expect(missingClaimFaults('userinfo', email, 'openid profile')).toHaveLength(14);
    expect(claimsOutOfPlaceFaults(good, 'openid email')).toEqual([]);
    expect(claimsOutOfPlaceFaults(email, 'openid email')).toHaveLength(2);
  });

  it('holds userinfo answers to status, type and subject', () => {
    const faults = (one: Answer) => userinfoFaults(one, '42', NOW);
    expect(faults(answer({ sub: '42' }))).toEqual([]);
    expect(
      faults(answer({ sub: '42' }, { headers: { 'content-type': 'application/json; charset=utf-8' } })),
    ).toEqual([]);
    expect(faults(answer({ sub: '42' }, { status: 401 }))).toHaveLength(1);
    expect(faults(answer({ sub: '42' }, { headers: { 'content-type': 'application/jwt' } }))).toHaveLength(1);
    expect(faults(answer({ sub: '43' }))).toHaveLength(1);
    expect(faults(answer({}))).toHaveLength(1);
    expect(faults(answer('[]'))).toHaveLength(1);
    expect(faults(answer({ sub: '42', name: '' }))).toHaveLength(1);
    expect(faults(answer({ sub: '42', _claim_names: { a: 's' }, _claim_sources: {} }))).toHaveLength(1);
  });
});

describe('the check of authorization answers', () => {
  const arrival = ({ method = 'GET', query = '', body = '', fragment = '', type = '' } = {}): Arrival => ({
    call: {
      method,
      path: '/callback',
      query: new URLSearchParams(query),
      headers: type === '' ? {} : { 'content-type': type },
      body,
      tls: 'TLSv1.3',
    },
    fragment: new URLSearchParams(fragment),
  });
  const FORM = 'application/x-www-form-urlencoded';

  it.each<[Place, Parameters<typeof arrival>[0]]>([
    ['query', { query: 'code=c' }],
    ['fragment', { fragment: 'id_token=c' }],
    ['form_post', { method: 'POST', body: 'code=c', type: FORM }],
  ])('finds what came by %s', (place, given) => {
    expect(placeFaults(arrival(given), place)).toEqual([]);
    expect([...parametersOf(arrival(given), place).values()]).toEqual(['c']);
  });

  it.each<[string, Place, Parameters<typeof arrival>[0]]>([
    ['an error in the query', 'fragment', { query: 'error=x', fragment: 'state=s' }],
    ['a code in the query', 'fragment', { query: 'code=x' }],
    ['a code in the fragment', 'query', { fragment: 'code=x' }],
    ['a query instead of a form', 'form_post', { query: 'code=x' }],
    ['a form instead of a query', 'query', { method: 'POST', body: 'code=c', type: FORM }],
    ['a charset', 'form_post', { method: 'POST', body: 'code=c', type: `${FORM}; charset=utf-8` }],
    ['a query beside the form', 'form_post', { method: 'POST', body: 'code=c', type: FORM, query: 'a=b' }],
    ['a parameter that came twice', 'query', { query: 'code=c&state=a&state=a' }],
  ])('notices %s', (_name, place, given) => {
    expect(placeFaults(arrival(given), place)).not.toEqual([]);
  });

  const success = (text: string, responseType: string) =>
    successFaults(new URLSearchParams(text), { issuer: ISSUER, state: 's', responseType });

  it('lets good answers pass', () => {
    expect(success('code=c&state=s', 'code')).toEqual([]);
    expect(success(`code=c&state=s&iss=${ISSUER}`, 'code')).toEqual([]);
    expect(success('id_token=i&state=s', 'id_token')).toEqual([]);
    const both = 'id_token=i&state=s&access_token=a&token_type=bearer&expires_in=60';
    expect(success(both, 'id_token token')).toEqual([]);
  });

  it.each([
    ['state=s', 'code'],
    ['code=&state=s', 'code'],
    ['code=c', 'code'],
    ['code=c&state=S', 'code'],
    [`code=c&state=s&iss=${ISSUER}/`, 'code'],
    ['code=c&state=s&error=server_error', 'code'],
    ['id_token=i&state=s&token_type=Bearer', 'id_token token'],
    ['id_token=i&state=s&access_token=a', 'id_token token'],
    ['access_token=a&token_type=Bearer&state=s', 'id_token token'],
    ['id_token=i&state=s&access_token=a&token_type=Bearer&expires_in=0', 'id_token token'],
    ['id_token=i&state=s&access_token=a&token_type=Bearer&expires_in=soon', 'id_token token'],
    ['id_token=i&state=s&access_token=a&token_type=Bearer', 'id_token'],
  ])('notices %s as an answer to %s', (text, responseType) => {
    expect(success(text, responseType)).not.toEqual([]);
  });

  const failure = (text: string, state: string | undefined = 's') =>
    errorFaults(new URLSearchParams(text), { issuer: ISSUER, state, oneOf: ['login_required'] });

  it('lets good errors pass', () => {
    const text = `error=login_required&error_description=the+user+must+sign+in&state=s&iss=${ISSUER}`;
    expect(failure(text)).toEqual([]);
    expect(failure('error=login_required&error_uri=https://a.example/&state=s')).toEqual([]);
  });

  it.each([
    'state=s',
    'error=server_error&state=s',
    'error=login_required',
    'error=login_required&state=t',
    'error=login_required&state=s&code=c',
    'error=login_required&state=s&reason=x',
    'error=login_required&state=s&iss=x',
    'error=login_required&state=s&error_description=%22',
    'error=login_required&state=s&error_description=%5C',
    'error=login_required&state=s&error_description=%C3%A9',
    'error=login_required&state=s&error_description=a%0Ab',
    'error=login_required&state=s&error_uri=nowhere',
  ])('notices %s', (text) => {
    expect(failure(text)).not.toEqual([]);
  });
});

describe('the check of token answers', () => {
  const tokens = { access_token: RANDOM, token_type: 'Bearer', id_token: 'a.b.c', expires_in: 3600 };

  it('lets good ones pass', () => {
    expect(tokenAnswerFaults(answer(tokens))).toEqual([]);
    expect(tokenAnswerFaults(answer(without(tokens, 'expires_in')))).toEqual([]);
    expect(refreshAnswerFaults(answer({ ...tokens, refresh_token: RANDOM }))).toEqual([]);
  });

  it('notices bad ones', () => {
    for (const name of ['access_token', 'token_type', 'id_token']) {
      expect(tokenAnswerFaults(answer(without(tokens, name))), name).toHaveLength(1);
    }
    expect(tokenAnswerFaults(answer(tokens, { status: 201 }))).toHaveLength(1);
    expect(tokenAnswerFaults(answer('x'))).toHaveLength(1);
    for (const expires of ['3600', 0, 31_536_001, null]) {
      expect(tokenAnswerFaults(answer({ ...tokens, expires_in: expires })), String(expires)).toHaveLength(1);
    }
    expect(tokenAnswerFaults(answer({ ...tokens, error: 'x' }))).toHaveLength(1);
  });

  it('holds refreshed ones to more', () => {
    const json = { 'content-type': 'application/json' };
    expect(refreshAnswerFaults(answer(tokens, { headers: json }))).toHaveLength(1);
    expect(refreshAnswerFaults(answer(tokens, { headers: { 'cache-control': 'no-store' } }))).toHaveLength(1);
    expect(refreshAnswerFaults(answer(without(tokens, 'expires_in')))).toHaveLength(1);
    expect(refreshAnswerFaults(answer({ ...tokens, token_type: 'mac' }))).toHaveLength(1);
    expect(refreshAnswerFaults(answer({ ...tokens, access_token: `${RANDOM}é` }))).toHaveLength(1);
    expect(refreshAnswerFaults(answer({ ...tokens, access_token: 'a'.repeat(100) }))).toHaveLength(1);
    expect(refreshAnswerFaults(answer({ ...tokens, refresh_token: 'short' }))).not.toEqual([]);
  });

  it('measures entropy as the suite does', () => {
    expect(shannonBits('aaaa')).toBeCloseTo(0);
    expect(shannonBits('abcd')).toBe(8);
    expect(entropyFaults('code', RANDOM)).toEqual([]);
    // 16 bytes in base64url are 22 characters, of which some come twice
    expect(entropyFaults('code', 'ABCDEFGHIJKLMNOPQRABCD')).toHaveLength(1);
    expect(entropyFaults('code', 'a'.repeat(200))).toHaveLength(1);
    expect(entropyFaults('code', 'abcdefghijklmno')).toHaveLength(2);
  });

  it('knows invalid_grant', () => {
    const refused = { error: 'invalid_grant', error_description: 'the code was used before' };
    expect(invalidGrantFaults(answer(refused, { status: 400 }))).toEqual([]);
    expect(invalidGrantFaults(answer(refused))).toHaveLength(1);
    expect(invalidGrantFaults(answer(refused, { status: 401 }))).toHaveLength(1);
    expect(invalidGrantFaults(answer({ error: 'invalid_request' }, { status: 400 }))).toHaveLength(1);
    expect(invalidGrantFaults(answer(refused, { status: 400, headers: {} }))).toHaveLength(1);
    expect(invalidGrantFaults(answer({ ...refused, error_description: '"' }, { status: 400 }))).toHaveLength(
      1,
    );
  });
});

describe('the check of discovery and keys', () => {
  const URL_OF_IT = `${ISSUER}/.well-known/openid-configuration`;
  const document = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    userinfo_endpoint: `${ISSUER}/userinfo`,
    jwks_uri: `${ISSUER}/keys`,
    response_types_supported: ['token id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid'],
    claims_supported: ['sub'],
    ui_locales_supported: ['en', 'pt-BR'],
  };
  const faultsOf = (changes: Json, url = URL_OF_IT) =>
    discoveryFaults(url, answer(JSON.stringify({ ...document, ...changes })));

  it('lets a good document pass', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ issuer: `${ISSUER}/` })).toEqual([]);
    expect(usableDocumentFaults(document, 'client_secret_basic')).toEqual([]);
  });

  it.each<Json>([
    { vendor_extension: true },
    { issuer: 'http://id.example' },
    { issuer: `${ISSUER}?a=b` },
    { authorization_endpoint: 'http://id.example/authorize' },
    { token_endpoint: undefined },
    { userinfo_endpoint: undefined },
    { jwks_uri: 'http://id.example/keys' },
    { revocation_endpoint: 'http://id.example/revoke' },
    { end_session_endpoint: 'nowhere' },
    { response_types_supported: ['token'] },
    { response_types_supported: 'code' },
    { subject_types_supported: ['private'] },
    { id_token_signing_alg_values_supported: ['ES256'] },
    { userinfo_signing_alg_values_supported: 'RS256' },
    { grant_types_supported: [] },
    { code_challenge_methods_supported: ['S512'] },
    { request_object_signing_alg_values_supported: ['none'] },
    { claims_supported: undefined },
    { scopes_supported: undefined },
    { scopes_supported: ['email'] },
    { scopes_supported: ['openid', 'e mail'] },
    { ui_locales_supported: ['EN'] },
    { ui_locales_supported: ['english'] },
    { ui_locales_supported: ['pt-br'] },
    { ui_locales_supported: ['xx'] },
    { claims_locales_supported: ['de_DE'] },
    { claims_parameter_supported: 'true' },
  ])('notices %j', (changes) => expect(faultsOf(changes)).not.toEqual([]));

  it('notices how it is sent, and where from', () => {
    const text = JSON.stringify(document);
    expect(discoveryFaults(URL_OF_IT, answer(text, { status: 203 }))).toHaveLength(1);
    expect(discoveryFaults(URL_OF_IT, answer(text, { headers: {} }))).toHaveLength(1);
    expect(discoveryFaults(URL_OF_IT, answer('[]'))).toHaveLength(1);
    expect(faultsOf({}, 'https://other.example/.well-known/openid-configuration')).toHaveLength(1);
    expect(faultsOf({}, `${ISSUER}/configuration`)).not.toEqual([]);
    expect(endpointFaults({ ...document, check_endpoint: 'http://a.example' })).toHaveLength(1);
  });

  it('asks for the method by which the client authenticates', () => {
    expect(usableDocumentFaults(document, 'client_secret_post')).toHaveLength(1);
    const methods = { ...document, token_endpoint_auth_methods_supported: ['client_secret_post'] };
    expect(usableDocumentFaults(methods, 'client_secret_post')).toEqual([]);
    expect(usableDocumentFaults(methods, 'client_secret_basic')).toHaveLength(1);
    expect(usableDocumentFaults(without(document, 'token_endpoint'), 'client_secret_basic')).toHaveLength(1);
    expect(usableDocumentFaults(undefined, 'none')).toHaveLength(1);
  });

  it('wants keys that are public, whole and named', async () => {
    expect(jwksFaults({ keys: [publicKey] })).toEqual([]);
    expect(jwksFaults({ keys: [publicKey, { ...publicKey, kid: 'k2' }] })).toEqual([]);
    const secret: Json = { ...(await exportJWK(keyPair.privateKey)), kid: 'k1' };
    const bad: readonly Json[] = [
      secret,
      { kty: 'oct', k: 'AAAA', kid: 'k1' },
      without(publicKey, 'kid'),
      { ...publicKey, kid: ' ' },
      { ...publicKey, alg: 'RS1' },
      { ...publicKey, use: 'both' },
      without(publicKey, 'n'),
      { kty: 'EC', crv: 'P-257', x: 'AA', y: 'AA', kid: 'k1' },
    ];
    for (const key of bad)
      expect(jwksFaults({ keys: [key] }), JSON.stringify(Object.keys(key))).not.toEqual([]);
    expect(jwksFaults({ keys: [publicKey, publicKey] })).toEqual(['two keys have the same kid']);
    expect(jwksFaults({ keys: [] })).not.toEqual([]);
    expect(jwksFaults({ keys: ['key'] })).not.toEqual([]);
    expect(jwksFaults({})).not.toEqual([]);
    expect(jwksFaults(undefined)).not.toEqual([]);
  });
});

describe('the check of back-channel requests', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  const claims = {
    iss: ISSUER,
    aud: CLIENT,
    iat: NOW,
    exp: NOW + 120,
    jti: 'j',
    events: { [EVENT]: {} },
    sub: '42',
    sid: 's1',
  };
  const call = (body: Record<string, string>, changes = {}) => ({
    method: 'POST',
    path: '/backchannel_logout',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(body).toString(),
    tls: 'TLSv1.3',
    ...changes,
  });
  const faultsOf = async (changes: Json, callChanges = {}, more: Record<string, string> = {}) =>
    await logoutRequestFaults(
      call({ logout_token: await signed({ ...claims, ...changes }), ...more }, callChanges),
      {
        issuer: ISSUER,
        clientId: CLIENT,
        idToken: { ...good, sid: 's1' },
        jwks: { keys: [publicKey] },
        nowSeconds: NOW,
      },
    );

  it('lets a good one pass', async () => {
    expect(await faultsOf({})).toEqual([]);
    expect(await faultsOf({ sub: undefined })).toEqual([]);
    expect(await faultsOf({ sid: undefined, aud: [CLIENT] })).toEqual([]);
  });

  it.each<Json>([
    { iss: 'x' },
    { aud: 'x' },
    { iat: undefined },
    { iat: NOW - 90_000 },
    { iat: NOW + 400 },
    { exp: undefined },
    { exp: NOW - 1 },
    { jti: undefined },
    { events: undefined },
    { events: { [EVENT]: true } },
    { events: { [EVENT]: { a: 1 } } },
    { events: { [EVENT]: {}, other: {} } },
    { nonce: NONCE },
    { sub: undefined, sid: undefined },
    { sub: '43' },
    { sid: 's2' },
  ])('notices %j', async (changes) => expect(await faultsOf(changes)).toHaveLength(1));

  it('notices how it came', async () => {
    expect(await faultsOf({}, { tls: 'TLSv1.2' })).toHaveLength(1);
    expect(await faultsOf({}, { method: 'GET' })).toHaveLength(1);
    expect(await faultsOf({}, { headers: { 'content-type': 'application/json' } })).toHaveLength(1);
    expect(await faultsOf({}, {}, { state: 's' })).toHaveLength(1);
    expect(await faultsOf({}, { body: '' })).not.toEqual([]);
  });
});

describe('the browser without scripts', () => {
  it('reads forms as they are', () => {
    const [form] = formsOf(
      `<form method="POST" action="https://a.example/cb?x=1&amp;y=2" id=answer>
        <input type="hidden" name="state" value="a&quot;&lt;&#39;&#x3e;&amp;amp;">
        <input name=plain><input type="submit"><button class="b" id="go" type="submit">Go</button>
      </form>`,
    );
    expect(form).toEqual({
      method: 'post',
      action: 'https://a.example/cb?x=1&y=2',
      attributes: { method: 'POST', action: 'https://a.example/cb?x=1&y=2', id: 'answer' },
      fields: [
        { name: 'state', value: `a"<'>&amp;`, type: 'hidden' },
        { name: 'plain', value: '', type: 'text' },
      ],
      buttons: [{ class: 'b', id: 'go', type: 'submit' }],
    });
  });

  it('keeps host cookies, and lets Lax ones cross sites with a GET only', () => {
    const jar = new CookieJar();
    const url = new URL('https://localhost:1/');
    jar.keep(url, ['__Host-a=1; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60']);
    expect(jar.header(url, 'POST', false)).toBe('__Host-a=1');
    expect(jar.header(url, 'GET', true)).toBe('__Host-a=1');
    expect(jar.header(url, 'POST', true)).toBe('');
    expect(jar.header(new URL('https://127.0.0.1:1/'), 'GET', false)).toBe('');
    jar.keep(url, ['__Host-a=; Path=/; Secure; HttpOnly; Max-Age=0']);
    expect(jar.header(url, 'GET', false)).toBe('');
    for (const bad of [
      'a=1; Path=/; Secure; HttpOnly',
      '__Host-a=1; Path=/login; Secure; HttpOnly',
      '__Host-a=1; Path=/; HttpOnly',
      '__Host-a=1; Path=/; Secure',
      '__Host-a=1; Path=/; Secure; HttpOnly; Domain=localhost',
    ]) {
      expect(() => jar.keep(url, [bad]), bad).toThrow();
    }
  });

  it('knows whether a posting page goes off by itself', () => {
    const SCRIPT = `HTMLFormElement.prototype.submit.call(document.getElementById('answer'));`;
    const faultsOf = ({ script = SCRIPT, type = 'hidden', head = '', nonce = 'abc', status = 200 } = {}) => {
      const html = `<form method="post" action="https://a.example/cb"${head}><input type="${type}" name="code" value="c"></form>
        <script nonce="${nonce}">${script}</script>`;
      const forms = formsOf(html);
      const headers = { 'content-security-policy': `default-src 'none'; script-src 'nonce-abc'` };
      const page: Page = { url: new URL(ISSUER), status, headers, html, forms };
      return forms.flatMap((form) => postingPageFaults(page, form));
    };
    expect(faultsOf()).toEqual([]);
    expect(faultsOf({ script: '' })).toHaveLength(1);
    expect(faultsOf({ script: `setTimeout(() => { ${SCRIPT} }, 10)` })).toHaveLength(1);
    expect(faultsOf({ nonce: 'other' })).toHaveLength(1);
    expect(faultsOf({ type: 'text' })).toHaveLength(1);
    expect(faultsOf({ head: ' enctype="multipart/form-data"' })).toHaveLength(1);
    expect(faultsOf({ status: 201 })).toHaveLength(1);
  });
});
