import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { anApplication, REDIRECT_URI } from '../../support/applications.js';
import { asserted, makeSigner, type AssertionSubject, type Signer } from '../../support/assertions.js';
import { redemption, requestToken } from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

interface Application {
  readonly clientId: string;
  readonly appId: string;
  /** Path of its keys. */
  readonly keys: string;
}

interface AddedKey {
  readonly id: string;
  readonly keyDetails?: string;
}

interface KeyFile {
  readonly keyId: string;
  readonly key: string;
  readonly clientId: string;
}

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const app = given(() => addApplication());

let counter = 0;

async function addApplication(): Promise<Application> {
  const apps = `projects/${world.projectId}/apps`;
  const response = await owner.call('POST', `${apps}/oidc`, {
    name: `App ${(counter += 1)}`,
    redirectUris: [REDIRECT_URI],
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
  });
  const { appId, clientId, ...rest } = response.json<{ appId: string; clientId: string }>();
  expect(rest).not.toHaveProperty('clientSecret');
  return { appId, clientId, keys: `${apps}/${appId}/keys` };
}

async function addKey(to = app, body: object = {}): Promise<AddedKey> {
  const response = await owner.call('POST', to.keys, body);
  expect(response.statusCode).toBe(200);
  return response.json();
}

/** What the token endpoint says to an assertion: a client that got in learns that its code is none. */
async function isLetIn(subject: AssertionSubject): Promise<boolean> {
  const response = await requestToken(api, { ...redemption('x'), ...(await asserted(subject)) });
  if (response.statusCode === 401) expectOAuthError(response, 401, 'invalid_client');
  else expectOAuthError(response, 400, 'invalid_grant');
  return response.statusCode === 400;
}

function signerOf(pem: string): Signer {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  return { alg: 'RS256', privateKey, publicKey, publicJwk: {} };
}

const timestamp = expect.stringMatching(/^\d{4}-.*Z$/) as string;
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

describe('POST keys', () => {
  it('makes a pair, gives its file out once, and keeps the public half', async () => {
    const before = await api.sql.query<{ position: string }>(`SELECT max(position) AS position FROM events`);
    const response = await owner.call('POST', app.keys, { type: 'KEY_TYPE_JSON' });
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const { id, details, keyDetails, ...others } = response.json<Record<string, unknown>>();
    expect(others).toEqual({ keyId: id });
    expect(details).toEqual({ sequence: '1', creationDate: timestamp, resourceOwner: world.orgId });
    const file = JSON.parse(Buffer.from(String(keyDetails), 'base64').toString()) as KeyFile;
    expect(file).toEqual({
      type: 'application',
      keyId: id,
      key: expect.stringMatching(/^-----BEGIN RSA PRIVATE KEY-----\n/) as string,
      expirationDate: '9999-12-31T23:59:59.000Z',
      appId: app.appId,
      clientId: app.clientId,
    });
    const signer = signerOf(file.key);
    expect(signer.privateKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    const subject = { clientId: file.clientId, keyId: file.keyId, signer };
    expect(await isLetIn(subject)).toBe(true);

    const { rows } = await api.sql.query<{ public_jwk: object }>(
      `SELECT public_jwk FROM application_keys WHERE id = $1`,
      [id],
    );
    expect(rows[0]?.public_jwk).toEqual(signer.publicKey.export({ format: 'jwk' }));
    const events = await api.sql.query(
      `SELECT org_id, aggregate_type, sequence::int, type, actor_id, data FROM events
       WHERE aggregate_id = $1 AND position > $2`,
      [id, before.rows[0]?.position],
    );
    expect(events.rows).toEqual([
      {
        org_id: world.orgId,
        aggregate_type: 'application_key',
        sequence: 1,
        type: 'application.key.added',
        actor_id: owner.userId,
        data: { applicationId: app.appId },
      },
    ]);
  });

  it.each<[string, string, (signer: Signer) => unknown]>([
    ['an RSA key as PEM', 'RS256', ({ publicKey }) => pemOf(publicKey)],
    ['an RSA key as PKCS #1', 'RS256', ({ publicKey }) => publicKey.export({ type: 'pkcs1', format: 'pem' })],
    ['an RSA key for PS256', 'PS256', ({ publicJwk }) => ({ ...publicJwk, alg: 'PS256' })],
    ['a P-256 key as PEM in base64', 'ES256', ({ publicKey }) => Buffer.from(pemOf(publicKey)).toString('base64')],
    ['a P-256 key as JWK', 'ES256', ({ publicJwk }) => ({ ...publicJwk, use: 'sig', kid: 'theirs', x5t: 'x' })],
    ['an Ed25519 key as a JWK in text', 'EdDSA', ({ publicJwk }) => JSON.stringify(publicJwk)],
    ['an Ed25519 key as PEM', 'Ed25519', ({ publicKey }) => pemOf(publicKey)],
  ])('takes %s', async (_name, alg, publicKeyOf) => {
    const signer = makeSigner(alg);
    const { id: keyId, keyDetails } = await addKey(app, { publicKey: publicKeyOf(signer) });
    expect(keyDetails).toBeUndefined();
    expect(await isLetIn({ clientId: app.clientId, keyId, signer })).toBe(true);
  }); // prettier-ignore

  it.each<[string, () => unknown, string]>([
    ['nothing that is a key', () => 'Marker', 'publicKey must be a PEM or a JWK'],
    ['a number', () => 5, 'publicKey must be a PEM or a JWK'],
    ['null in base64', () => Buffer.from('null').toString('base64'), 'publicKey must be a PEM or a JWK'],
    ['a broken PEM', () => '-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----', 'publicKey cannot be read as a public key'],
    ['2047 bits', () => pemOf(makeSigner('RS256', 2047).publicKey), 'publicKey must have 2048 to 4096 bits'],
    ['4097 bits', () => ({ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(513, 1).toString('base64url') }), 'publicKey must have 2048 to 4096 bits'],
    ['a small exponent', () => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey), 'publicKey must have the exponent 65537'],
    ['another curve', () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey), 'publicKey must be on the curve P-256'],
    ['secp256k1', () => pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey), 'publicKey must be on the curve P-256'],
    ['a key for agreement', () => pemOf(generateKeyPairSync('x25519').publicKey), 'publicKey must be an RSA, P-256 or Ed25519 key'],
    ['an Ed448 key', () => pemOf(generateKeyPairSync('ed448').publicKey), 'publicKey must be an RSA, P-256 or Ed25519 key'],
    ['a private PEM', () => makeSigner('ES256').privateKey.export({ type: 'pkcs8', format: 'pem' }), 'publicKey must not hold a private or secret key'],
    ['a private JWK', () => makeSigner('ES256').privateKey.export({ format: 'jwk' }), 'publicKey must not hold a private or secret key'],
    ['a private JWK in text', () => JSON.stringify(makeSigner('EdDSA').privateKey.export({ format: 'jwk' })), 'publicKey must not hold a private or secret key'],
    ['a secret', () => ({ kty: 'oct', k: 'AAAA' }), 'publicKey must not hold a private or secret key'],
    ['a JWK for encryption', () => ({ ...makeSigner('ES256').publicJwk, use: 'enc' }), 'publicKey must be a key for signatures'],
    ['a JWK for another algorithm', () => ({ ...makeSigner('ES256').publicJwk, alg: 'RS256' }), 'publicKey cannot be used with that alg, only with ES256'],
    ['a point that is not on the curve', () => ({ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }), 'publicKey cannot be read as a public key'],
    ['10,001 characters', () => 'A'.repeat(10_001), 'publicKey is too long'],
  ])('refuses %s', async (_name, publicKey, text) => {
    const response = await owner.call('POST', app.keys, { publicKey: publicKey() });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual(errorBody(3, text));
  }); // prettier-ignore

  it.each<[string, object, object]>([
    ['a date that is past', { expirationDate: '2020-01-01T00:00:00Z' }, errorBody(3, 'expirationDate must lie in the future', 'DOMAIN-dv3t5')],
    ['a date that is none', { expirationDate: 'tomorrow' }, errorBody(3, 'expirationDate must be a date and time of RFC 3339, such as 2030-01-31T12:00:00Z')],
    ['a kind that is none', { type: 'KEY_TYPE_PEM' }, errorBody(3, 'type must be one of KEY_TYPE_UNSPECIFIED, KEY_TYPE_JSON')],
    ['a field that nobody knows', { name: 'x' }, errorBody(3, 'unknown field "name"')],
  ])('refuses %s', async (_name, body, error) => {
    const response = await owner.call('POST', app.keys, body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual(error);
  }); // prettier-ignore

  it('is for applications that can use it', async () => {
    const { id } = await anApplication(world);
    const response = await owner.call('POST', `projects/${world.projectId}/apps/${id}/keys`, {});
    expect(response.statusCode).toBe(400);
    const text =
      'Only an application with the method private_key_jwt or self_signed_tls_client_auth can have keys';
    expect(response.json()).toEqual(errorBody(9, text, 'COMMAND-Dff54'));
  });

  it('may be repeated, and gives the same file out again without keeping it in the clear', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const add = () => owner.call('POST', app.keys, {}, { headers });
    const [first, second] = [await add(), await add()];
    expect(second.body).toBe(first.body);
    const { keyDetails = '' } = first.json<AddedKey>();
    const { key } = JSON.parse(Buffer.from(keyDetails, 'base64').toString()) as KeyFile;
    const secret = key.split('\n')[1] ?? '';
    expect(secret.length).toBeGreaterThan(50);
    for (const table of ['idempotency_keys', 'events', 'outbox', 'application_keys']) {
      const { rows } = await api.sql.query(`SELECT t::text AS row FROM ${table} t`);
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(JSON.stringify(rows)).not.toContain(keyDetails.slice(100, 200));
    }
  });
});

describe('a key that was added', () => {
  it('is listed and found, without its private half', async () => {
    const listed = await addApplication();
    const expirationDate = '2031-05-06T07:08:09.000Z';
    const ids = [
      (await addKey(listed)).id,
      (await addKey(listed, { expirationDate: '2031-05-06T09:08:09+02:00' })).id,
      (await addKey(listed, { publicKey: makeSigner('ES256').publicJwk })).id,
    ];
    const list = await owner.call('GET', `${listed.keys}?asc=true`);
    expect(list.statusCode).toBe(200);
    const { details, result } = list.json<{ details: object; result: readonly { id: string }[] }>();
    expect(details).toEqual({
      totalResult: '3',
      processedSequence: expect.stringMatching(/^\d+$/) as string,
      viewTimestamp: timestamp,
    });
    expect(result.map(({ id }) => id)).toEqual(ids);
    const read = {
      sequence: '1',
      creationDate: timestamp,
      changeDate: timestamp,
      resourceOwner: world.orgId,
    };
    const second = { id: ids[1], keyId: ids[1], details: read, type: 'KEY_TYPE_JSON', expirationDate };
    expect(result[1]).toEqual(second);
    expect((await owner.call('GET', `${listed.keys}/${ids[1]}`)).json()).toEqual({ key: second });

    const page = await owner.call('GET', `${listed.keys}?offset=1&limit=1`);
    expect(page.json<{ result: object[] }>().result).toEqual([second]);
    const searched = await owner.call('POST', `${listed.keys}/_search`, { query: { offset: 1, limit: 1 } });
    expect(searched.json<{ result: object[] }>().result).toEqual([second]);
    const past = await owner.call('GET', `${listed.keys}?offset=3`);
    expect(past.json()).toMatchObject({ details: { totalResult: '3' }, result: [] });
  });

  it.each(['limit=1001', 'offset=-1', 'limit=x', 'asc=1', 'other=1'])(
    'is not listed by %s',
    async (query) => {
      expect((await owner.call('GET', `${app.keys}?${query}`)).statusCode).toBe(400);
    },
  );

  it('stops at its expiration date, to the second (S073)', async () => {
    const signer = makeSigner('ES256');
    const { rows } = await api.sql.query<{ at: string }>(
      `SELECT to_char((app_now() + interval '60 s') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`,
    );
    const body = { publicKey: signer.publicJwk, expirationDate: rows[0]?.at };
    const subject = { clientId: app.clientId, keyId: (await addKey(app, body)).id, signer };
    expect(await isLetIn(subject)).toBe(true);
    await api.sql.query(`UPDATE application_keys SET expires_at = app_now() WHERE id = $1`, [subject.keyId]);
    expect(await isLetIn(subject)).toBe(false);
  });

  it('is removed, and at once nobody takes it (S073)', async () => {
    const signer = makeSigner('ES256');
    const kept = {
      clientId: app.clientId,
      keyId: (await addKey(app, { publicKey: signer.publicJwk })).id,
      signer,
    };
    const removed = { ...kept, keyId: (await addKey(app, { publicKey: signer.publicJwk })).id };
    expect(await isLetIn(removed)).toBe(true);
    const response = await owner.call('DELETE', `${app.keys}/${removed.keyId}`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      details: { sequence: '2', changeDate: timestamp, resourceOwner: world.orgId },
    });
    expect(await isLetIn(removed)).toBe(false);
    expect(await isLetIn(kept)).toBe(true);
    const gone = await owner.call('DELETE', `${app.keys}/${removed.keyId}`);
    expect(gone.statusCode).toBe(404);
    expect(gone.json()).toEqual(errorBody(5, 'Key could not be found', 'QUERY-Ld94b'));
    const { rows } = await api.sql.query(
      `SELECT sequence::int, type, actor_id FROM events WHERE aggregate_id = $1 ORDER BY position`,
      [removed.keyId],
    );
    expect(rows).toEqual([
      { sequence: 1, type: 'application.key.added', actor_id: owner.userId },
      { sequence: 2, type: 'application.key.removed', actor_id: owner.userId },
    ]);
  });

  it('does not outlive a change to another method', async () => {
    const changed = await addApplication();
    const signer = makeSigner('ES256');
    const { id: keyId } = await addKey(changed, { publicKey: signer.publicJwk });
    const subject = { clientId: changed.clientId, keyId, signer };
    expect(await isLetIn(subject)).toBe(true);
    const config = { redirectUris: [REDIRECT_URI], authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC' };
    const path = `projects/${world.projectId}/apps/${changed.appId}/oidc_config`;
    expect((await owner.call('PUT', path, config)).statusCode).toBe(200);
    expect(await isLetIn(subject)).toBe(false);
  });
});

describe('keys of others', () => {
  it('are not found, wherever an identifier stands', async () => {
    const elsewhere = await anOrganization(api);
    const stranger = await aServiceUser(elsewhere, 'ORG_OWNER');
    const key = await addKey();
    const other = await addApplication();
    const paths = [app.keys, other.keys, app.keys.replace(world.projectId, elsewhere.projectId)];
    const requests: [ServiceUser, string][] = [
      [stranger, paths[0] ?? ''],
      [stranger, paths[2] ?? ''],
      [owner, paths[2] ?? ''],
    ];
    for (const [who, path] of requests) {
      for (const [method, url, body] of [
        ['GET', path, undefined],
        ['POST', path, {}],
        ['POST', `${path}/_search`, {}],
        ['GET', `${path}/${key.id}`, undefined],
        ['DELETE', `${path}/${key.id}`, undefined],
      ] as const) {
        const response = await call(api, method, url, { pat: who.pat, body });
        expect(response.statusCode, `${method} ${url}`).toBe(404);
      }
    }
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await owner.call(method, `${other.keys}/${key.id}`)).statusCode).toBe(404);
    }
    const foreign = { 'x-zitadel-orgid': world.orgId };
    const named = await stranger.call('DELETE', `${app.keys}/${key.id}`, undefined, { headers: foreign });
    expect(named.statusCode).toBe(403);
    expect((await owner.call('GET', `${app.keys}/${key.id}`)).statusCode).toBe(200);
  });

  it.each<[string, Parameters<typeof aServiceUser>[1], number, number]>([
    ['nobody in particular', undefined, 403, 403],
    ['a viewer', 'ORG_OWNER_VIEWER', 200, 403],
    ['a manager of users', 'ORG_USER_MANAGER', 403, 403],
  ])('%s', async (_name, role, reading, writing) => {
    const somebody = await aServiceUser(world, role);
    const { id } = await addKey();
    const as = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) =>
      somebody.call(method, url, body);
    expect((await as('GET', app.keys)).statusCode).toBe(reading);
    expect((await as('GET', `${app.keys}/${id}`)).statusCode).toBe(reading);
    expect((await as('POST', `${app.keys}/_search`, {})).statusCode).toBe(reading);
    expect((await as('POST', app.keys, {})).statusCode).toBe(writing);
    expect((await as('DELETE', `${app.keys}/${id}`)).statusCode).toBe(writing);
  });
});
