// SQL by hand: a crash of PostgreSQL empties these tables, and time passes after it
import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { useReplica, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  basic,
  codeRequest,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aProofKey, boundBy, proofOf, type ProofChanges } from '../../support/dpop.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aRobot } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

// A used proof that was forgotten must not be taken for a new one: after a crash a proof counts with a nonce that was made since,
// or when no proof that was used before could still be good.

const TOKEN = '/oauth/v2/token';
const ME = '/auth/v1/users/me';
const USERINFO = '/oidc/v1/userinfo';

const { api, world } = useWorld();
const replica = useReplica(api);
const strict = useReplica(api, { DPOP_NONCE: 'required' });
const key = given(() => aProofKey());
const robot = given(() => aRobot(world));
const user = given(() => aUser(world));
const client = given(() => anApplication(world));

async function crash(): Promise<void> {
  await api.sql.query('TRUNCATE used_proofs, used_proofs_since');
}

/** As if the last crash was so long ago. */
async function let2MinutesPass(): Promise<void> {
  await api.sql.query(`UPDATE used_proofs_since SET since = since - interval '122 seconds'`);
}

beforeEach(async () => {
  await crash();
  await ask(await proofOf(key, 'POST', TOKEN));
  await let2MinutesPass();
});

async function ask(dpop: string, at: TestApi = api): Promise<LightMyRequestResponse> {
  const { userName, secret } = robot;
  const form = {
    grant_type: 'client_credentials',
    client_id: userName,
    client_secret: secret,
    scope: `openid ${API_SCOPE}`,
  };
  return await requestToken(at, form, { dpop });
}

async function withNonce(nonce: unknown, changes: ProofChanges = {}): Promise<string> {
  return await proofOf(key, 'POST', TOKEN, { claims: { nonce: String(nonce) }, ...changes });
}

function nonceIn(response: LightMyRequestResponse): string {
  expect(response.headers['dpop-nonce']).toMatch(/^[\w-]{32,}$/);
  return String(response.headers['dpop-nonce']);
}

async function aBoundToken(): Promise<string> {
  const response = await ask(await proofOf(key, 'POST', TOKEN));
  expect(response.statusCode).toBe(200);
  return response.json<{ access_token: string }>().access_token;
}

describe('after PostgreSQL has forgotten which proofs were used', () => {
  it('none counts at the token endpoint that could be one of them (S385)', async () => {
    const dpop = await proofOf(key, 'POST', TOKEN);
    const first = await ask(dpop);
    expect(first.statusCode).toBe(200);
    expect(first.headers['dpop-nonce']).toBeUndefined();
    await crash();
    const again = await ask(dpop, replica);
    expectOAuthError(again, 400, 'use_dpop_nonce');
    // what the client does by itself
    const next = await withNonce(nonceIn(again));
    expect((await ask(next)).statusCode).toBe(200);
    expectOAuthError(await ask(next, replica), 400, 'invalid_dpop_proof');
    expectOAuthError(await ask(dpop), 400, 'use_dpop_nonce');
  });

  it('a proof from a clock that is ahead is none the newer for it (S385)', async () => {
    const claims = { iat: Math.floor(Date.now() / 1000) + 55 };
    const dpop = await proofOf(key, 'POST', TOKEN, { claims });
    expect((await ask(dpop)).statusCode).toBe(200);
    await crash();
    expectOAuthError(await ask(dpop), 400, 'use_dpop_nonce');
  });

  it.each([USERINFO, ME])('none counts at %s (S385)', async (path) => {
    const token = await aBoundToken();
    const headers = await boundBy(key, token, 'GET', path);
    expect((await api.app.inject({ url: path, headers })).statusCode).toBeLessThan(405);
    await crash();
    const again = await replica.app.inject({ url: path, headers });
    expect(again.statusCode).toBe(401);
    expect(again.headers['www-authenticate']).toContain('DPoP error="use_dpop_nonce"');
    const claims = { nonce: nonceIn(again) };
    const next = await boundBy(key, token, 'GET', path, { claims });
    const answered = await api.app.inject({ url: path, headers: next });
    expect([200, 403, 404]).toContain(answered.statusCode);
    expect((await replica.app.inject({ url: path, headers: next })).statusCode).toBe(401);
  });

  it('none counts beside a pushed request (S385)', async () => {
    const push = async (dpop: string) =>
      await postForm(api, '/oauth/v2/par', codeRequest(client), { ...basic(client), dpop });
    const dpop = await proofOf(key, 'POST', '/oauth/v2/par');
    expect((await push(dpop)).statusCode).toBe(201);
    await crash();
    const again = await push(dpop);
    expectOAuthError(again, 400, 'use_dpop_nonce');
    const claims = { nonce: nonceIn(again) };
    expect((await push(await proofOf(key, 'POST', '/oauth/v2/par', { claims }))).statusCode).toBe(201);
  });

  it('a code is not lost on account of it', async () => {
    const code = redirected(await new TestBrowser(api).signIn(codeRequest(client), user)).get('code') ?? '';
    await crash();
    const headers = basic(client);
    const dpop = await proofOf(key, 'POST', TOKEN);
    const refused = await requestToken(api, redemption(code), { ...headers, dpop });
    expectOAuthError(refused, 400, 'use_dpop_nonce');
    const next = await withNonce(nonceIn(refused));
    const response = await requestToken(replica, redemption(code), { ...headers, dpop: next });
    expect(response.json()).toMatchObject({ token_type: 'DPoP' });
  });

  it('each proof counts when two minutes are over', async () => {
    await crash();
    expectOAuthError(await ask(await proofOf(key, 'POST', TOKEN)), 400, 'use_dpop_nonce');
    await let2MinutesPass();
    expect((await ask(await proofOf(key, 'POST', TOKEN))).statusCode).toBe(200);
  });

  it('a nonce from before the next crash does not count (S385)', async () => {
    await crash();
    const nonce = nonceIn(await ask(await proofOf(key, 'POST', TOKEN)));
    const dpop = await withNonce(nonce);
    expect((await ask(dpop)).statusCode).toBe(200);
    await crash();
    expectOAuthError(await ask(dpop), 400, 'use_dpop_nonce');
    expectOAuthError(await ask(await withNonce(nonce)), 400, 'use_dpop_nonce');
  });

  it.each<[string, (nonce: string) => string]>([
    ['made up', () => 'A'.repeat(54)],
    ['changed', (nonce) => `${nonce.slice(0, 20)}${nonce[20] === 'A' ? 'B' : 'A'}${nonce.slice(21)}`],
    ['cut short', (nonce) => nonce.slice(0, 32)],
    ['with more at its end', (nonce) => `${nonce}AA`],
  ])('a nonce is refused that is %s (S385)', async (_name, change) => {
    await crash();
    const nonce = nonceIn(await ask(await proofOf(key, 'POST', TOKEN)));
    expectOAuthError(await ask(await withNonce(change(nonce))), 400, 'use_dpop_nonce');
    expect((await ask(await withNonce(nonce))).statusCode).toBe(200);
  });
});

describe('where nonces are required', () => {
  it('those from before count no more, and those that are given since count everywhere (S385)', async () => {
    const before = nonceIn(await ask(await proofOf(key, 'POST', TOKEN), strict));
    const dpop = await withNonce(before);
    expect((await ask(dpop, strict)).statusCode).toBe(200);
    await crash();
    const again = await ask(dpop, strict);
    expectOAuthError(again, 400, 'use_dpop_nonce');
    const since = nonceIn(again);
    expect(since).not.toBe(before);
    const answered = await ask(await withNonce(since), strict);
    expect(answered.statusCode).toBe(200);
    // so that the next request needs no second try
    expect((await ask(await withNonce(nonceIn(answered)), strict)).statusCode).toBe(200);
    expect((await ask(await withNonce(since), replica)).statusCode).toBe(200);
  });
});
