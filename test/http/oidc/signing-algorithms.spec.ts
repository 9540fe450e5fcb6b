import { createHash } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { EnsureKeys } from '../../../src/domain/signing-keys/ensure-keys.js';
import { anApi, aReplica, startTestApi, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  redirected,
  refreshTokens,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const keySetOf = async (api: TestApi) => (await api.app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();

async function verified(token: string, keys: JSONWebKeySet): Promise<JWTPayload> {
  return (await jwtVerify(token, createLocalJWKSet(keys), { issuer: 'https://id.test' })).payload;
}

/** What else there is a key for. */
const BESIDE = { RS256: 'ES256', PS256: 'RS256', ES256: 'RS256', EdDSA: 'RS256' } as const;

describe.each([
  ['RS256', 'sha256', { kty: 'RSA' }],
  ['PS256', 'sha256', { kty: 'RSA' }],
  ['ES256', 'sha256', { kty: 'EC', crv: 'P-256' }],
  ['EdDSA', 'sha512', { kty: 'OKP', crv: 'Ed25519' }],
] as const)('SIGNING_ALG %s', (algorithm, hash, shape) => {
  const { api, world } = useWorld({ SIGNING_ALG: algorithm });

  it('is what discovery and the key set say', async () => {
    const discovery = (await api.app.inject('/.well-known/openid-configuration')).json<
      Record<string, unknown>
    >();
    for (const name of ['id_token', 'userinfo']) {
      expect(discovery[`${name}_signing_alg_values_supported`]).toEqual([algorithm, BESIDE[algorithm]]);
    }
    const { keys } = await keySetOf(api);
    // RS256 is there for clients that can verify nothing else
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual(expect.objectContaining({ ...shape, alg: algorithm, use: 'sig' }));
    expect(keys).toContainEqual(expect.objectContaining({ kty: 'RSA', alg: 'RS256' }));
    for (const key of keys) expect(key).not.toHaveProperty('d');
  });

  it('signs ID tokens and access tokens that verify, with the right at_hash', async () => {
    const client = await anApplication(world, { accessTokenType: 'jwt' });
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const first = await obtainTokens(api, client, user, {}, browser);
    const second = (await refreshTokens(api, client, first)).json<TokenAnswer>();
    const keys = await keySetOf(api);
    for (const tokens of [first, second]) {
      expect(decodeProtectedHeader(tokens.id_token)).toEqual({
        alg: algorithm,
        kid: keys.keys.find(({ alg }) => alg === algorithm)?.kid,
        typ: 'JWT',
      });
      const claims = await verified(tokens.id_token, keys);
      // OpenID Connect Core §3.1.3.6: the left half, so 16 bytes of SHA-256 and 32 of SHA-512
      const digest = createHash(hash).update(tokens.access_token).digest();
      expect(claims['at_hash']).toBe(digest.subarray(0, digest.length / 2).toString('base64url'));
      expect(claims['auth_time']).toBeLessThanOrEqual(claims.iat ?? 0);
      expect((await verified(tokens.access_token, keys)).sub).toBe(user.userId);
      expect((await userinfo(api, tokens.access_token)).statusCode).toBe(200);
    }
    const hinted = codeRequest(client, { prompt: 'none', id_token_hint: first.id_token });
    expect(redirected(await browser.get(authorizeUrl(hinted))).has('code')).toBe(true);
  });
});

it('signs ID tokens with RS256 for an application that asks for it, whatever else signs', async () => {
  const api = await startTestApi({ SIGNING_ALG: 'EdDSA' });
  try {
    const world = await anOrganization(api);
    const [plain, asking] = await Promise.all([anApplication(world, {}), anApplication(world, {})]);
    await api.sql.query(`UPDATE applications SET id_token_algorithm = 'RS256' WHERE client_id = $1`, [
      asking.clientId,
    ]);
    const user = await aUser(world);
    const keys = await keySetOf(api);
    for (const [client, alg, hash] of [
      [plain, 'EdDSA', 'sha512'],
      [asking, 'RS256', 'sha256'],
    ] as const) {
      const tokens = await obtainTokens(api, client, user);
      const { kid } = keys.keys.find((key) => key.alg === alg) ?? {};
      expect(decodeProtectedHeader(tokens.id_token)).toEqual({ alg, kid, typ: 'JWT' });
      const digest = createHash(hash).update(tokens.access_token).digest();
      expect((await verified(tokens.id_token, keys))['at_hash']).toBe(
        digest.subarray(0, digest.length / 2).toString('base64url'),
      );
    }
  } finally {
    await api.close();
  }
});

describe('while keys change (S094)', () => {
  it('old and new tokens verify, and refreshes go on', async () => {
    const old = await anApi();
    const world = await anOrganization(old);
    const client = await anApplication(world, { accessTokenType: 'jwt' });
    const first = await obtainTokens(old, client, await aUser(world));
    // what a rotation will do: the current key steps back and another one signs
    await old.sql.query(`UPDATE signing_keys SET state = 'previous', previous_since = app_now()`);
    await old.app.get(EnsureKeys).run();
    const fresh = await aReplica(old);
    const keys = await keySetOf(fresh);
    expect(keys.keys.filter(({ alg }) => alg === 'RS256')).toHaveLength(2);
    let { refresh_token: token } = first;
    const kids = new Set([decodeProtectedHeader(first.id_token).kid]);
    for (const replica of [old, fresh, old, fresh]) {
      const tokens = (await refreshTokens(replica, client, { refresh_token: token })).json<TokenAnswer>();
      token = tokens.refresh_token;
      kids.add(decodeProtectedHeader(tokens.id_token).kid);
      await verified(tokens.id_token, keys);
      for (const at of [old, fresh]) expect((await userinfo(at, tokens.access_token)).statusCode).toBe(200);
    }
    expect(kids.size).toBe(2);
    await verified(first.id_token, keys);
    expect((await userinfo(fresh, first.access_token)).statusCode).toBe(200);
  });
});
