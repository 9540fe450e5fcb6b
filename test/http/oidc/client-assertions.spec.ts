import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anApplication, aPublicApplication, type TestClient } from '../../support/applications.js';
import {
  addKey,
  anAssertingApplication,
  asserted,
  makeSigner,
  type AssertionChanges,
} from '../../support/assertions.js';
import { basic, obtainTokens, redemption } from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from './support/answers.js';

// Client authentication where it is asked for. What an assertion must say is told by test/unit/client-auth; here it is
// that every endpoint asks all of it, and what the database has to do with it.

const TOKEN_ENDPOINT = 'https://id.test/oauth/v2/token';
const now = () => Math.floor(Date.now() / 1000);

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anAssertingApplication(world));
const other = given(() => anAssertingApplication(world));
const web = given(() => anApplication(world));
const post = given(() => anApplication(world, { authMethod: 'client_secret_post' }));
const spa = given(() => aPublicApplication(world));
const user = given(() => aUser(world));
const tokens = given(() => obtainTokens(api, web, user));

/** A request that is good but for the client, and how it is told that the client got in. */
interface Endpoint {
  readonly path: string;
  readonly form: () => Record<string, string>;
  readonly isLetIn: (response: LightMyRequestResponse) => boolean;
}

const ENDPOINTS: Readonly<Record<'token' | 'introspect' | 'revoke', Endpoint>> = {
  token: {
    path: '/oauth/v2/token',
    form: () => redemption('Marker-code'),
    isLetIn: (response) => response.json<{ error: string }>().error === 'invalid_grant',
  },
  introspect: {
    path: '/oauth/v2/introspect',
    form: () => ({ token: tokens.access_token }),
    isLetIn: (response) => response.statusCode === 200,
  },
  revoke: {
    path: '/oauth/v2/revoke',
    form: () => ({ token: 'Marker-nobody' }),
    isLetIn: (response) => response.statusCode === 200,
  },
};

async function send(
  endpoint: Endpoint,
  proof: Record<string, string>,
  headers: Record<string, string> = {},
  on = api,
): Promise<LightMyRequestResponse> {
  return await postForm(on, endpoint.path, { ...endpoint.form(), ...proof }, headers);
}

describe.each(Object.entries(ENDPOINTS))('at %s', (name, endpoint) => {
  const secret = ({ clientId, clientSecret }: TestClient) => ({
    client_id: clientId,
    client_secret: clientSecret,
  });

  it('the methods of the table, and no others (S064, S065, S115)', async () => {
    const outcomes = {
      client_secret_basic: await send(endpoint, {}, basic(web)),
      client_secret_post: await send(endpoint, secret(post)),
      none: await send(endpoint, { client_id: spa.clientId }),
      private_key_jwt: await send(endpoint, await asserted(client)),
    };
    const expected = {
      client_secret_basic: true,
      client_secret_post: name !== 'introspect',
      none: name !== 'introspect',
      private_key_jwt: true,
    };
    for (const [method, response] of Object.entries(outcomes)) {
      const letIn = expected[method as keyof typeof expected];
      expect(endpoint.isLetIn(response), method).toBe(letIn);
      if (!letIn) expectOAuthError(response, 401, 'invalid_client');
    }
  });

  it('a secret by header and by body alike, save where the table takes the header alone (S064)', async () => {
    const both = name !== 'introspect';
    for (const [proof, headers] of [
      [secret(web), {}],
      [{}, basic(post)],
    ] as const) {
      const response = await send(endpoint, proof, headers);
      expect(endpoint.isLetIn(response)).toBe(both);
      if (!both) {
        const registered =
          proof === undefined || 'client_id' in proof ? 'basic' : 'post, which this endpoint';
        expect(expectOAuthError(response, 401, 'invalid_client')).toContain(`client_secret_${registered}`);
      }
    }
  });

  it('an application without a secret is told so, whatever it sends (S065)', async () => {
    for (const [proof, headers] of [
      [{ ...secret(spa), client_secret: 'x' }, {}],
      [{}, basic({ ...spa, clientSecret: 'x' })],
      [await asserted({ ...client, clientId: spa.clientId }), {}],
    ] as const) {
      const told = expectOAuthError(await send(endpoint, proof, headers), 401, 'invalid_client');
      expect(told).toMatch(/^the application is registered for the authentication method none/);
    }
  });

  it('everybody else who is not let in is told the same (S063, S064, S065, S069, S073)', async () => {
    const gone = await anAssertingApplication(world);
    const deleted = await anApplication(world);
    await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE id = $1`, [gone.id]);
    await api.sql.query(`DELETE FROM applications WHERE id = $1`, [deleted.id]);
    const stranger = makeSigner('ES256');
    const nobody = { clientId: '1', keyId: client.keyId, signer: client.signer };
    const requests: [Record<string, string>, Record<string, string>?][] = [
      [{}, basic({ ...web, clientSecret: 'x' })],
      [{}, basic({ ...web, clientId: '1' })],
      [{}, basic(deleted)],
      [{}, basic(client)],
      [{ ...secret(post), client_secret: 'x' }],
      [{ ...secret(client), client_secret: 'x' }],
      [{ client_id: web.clientId }],
      [{ client_id: post.clientId }],
      [{ client_id: client.clientId }],
      [await asserted(gone)],
      [await asserted(nobody)],
      [await asserted({ ...client, signer: stranger })],
      [await asserted({ ...client, keyId: other.keyId, signer: other.signer })],
      [await asserted({ ...client, clientId: web.clientId })],
    ];
    const bodies = new Set<string>();
    for (const [proof, headers] of requests) {
      const response = await send(endpoint, proof, headers);
      expectOAuthError(response, 401, 'invalid_client');
      const tried = headers !== undefined;
      expect(String(response.headers['www-authenticate']).startsWith('Basic realm=')).toBe(tried);
      bodies.add(response.body);
    }
    expect([...bodies]).toHaveLength(1);
  });

  it.each<[string, AssertionChanges]>([
    ['another server’s', { claims: { aud: 'https://other.test' } }],
    ['for nobody', { claims: { aud: undefined } }],
    ['for us and another server', { claims: { aud: ['https://id.test', 'https://other.test'] } }],
    ['for an endpoint that is none for this', { claims: { aud: `https://id.test${ENDPOINTS.revoke.path}` } }],
    ['by nobody', { claims: { iss: undefined } }],
    ['expired', { claims: { exp: now() - 1 } }],
    ['good for ten years', { claims: { exp: now() + 315_360_000 } }],
    ['two hours old', { claims: { iat: now() - 7200 } }],
    ['not good yet', { claims: { nbf: now() + 120 } }],
    ['without iat', { claims: { iat: undefined } }],
    ['without exp', { claims: { exp: undefined } }],
    ['with an empty jti', { claims: { jti: '' } }],
    ['with a NUL for a key', { header: { kid: 'a\u0000b' } }],
    [
      'with 1,000 claims',
      { claims: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`c${i}`, i])) },
    ],
  ])('an assertion %s (S070, S071, S072, S075)', async (_name, changes) => {
    expectOAuthError(await send(endpoint, await asserted(client, changes)), 401, 'invalid_client');
  });

  it.each([{ aud: 'https://id.test' }, { aud: TOKEN_ENDPOINT }, { aud: [TOKEN_ENDPOINT] }])(
    'an assertion for %j',
    async (claims) => {
      expect(endpoint.isLetIn(await send(endpoint, await asserted(client, { claims })))).toBe(true);
    },
  );

  it('the token endpoint as audience, unless the application takes the issuer alone (S070)', async () => {
    const strict = await anAssertingApplication(world, undefined, { assertionIssuerOnly: true });
    const claims = { aud: TOKEN_ENDPOINT };
    expectOAuthError(await send(endpoint, await asserted(strict, { claims })), 401, 'invalid_client');
    expect(endpoint.isLetIn(await send(endpoint, await asserted(strict)))).toBe(true);
  });

  it('the endpoint where requests are pushed as audience (RFC 9126 §2)', async () => {
    const claims = { aud: 'https://id.test/oauth/v2/par' };
    expect(endpoint.isLetIn(await send(endpoint, await asserted(client, { claims })))).toBe(true);
  });

  it('a client_id beside the assertion must be its own (S071)', async () => {
    const named = async (clientId: string) =>
      await send(endpoint, { ...(await asserted(client)), client_id: clientId });
    expect(endpoint.isLetIn(await named(client.clientId))).toBe(true);
    expectOAuthError(await named(other.clientId), 401, 'invalid_client');
  });

  it('an assertion without its type, or with another (S074)', async () => {
    for (const type of ['', 'urn:x']) {
      const proof = { ...(await asserted(client)), client_assertion_type: type };
      expectOAuthError(await send(endpoint, proof), 401, 'invalid_client');
    }
  });

  it('two ways at once are invalid_request, however right each is', async () => {
    const assertion = await asserted(client);
    expectOAuthError(await send(endpoint, assertion, basic(web)), 400, 'invalid_request');
    expectOAuthError(await send(endpoint, { ...assertion, client_secret: 'x' }), 400, 'invalid_request');
    expectOAuthError(await send(endpoint, secret(post), basic(web)), 400, 'invalid_request');
    // and used up nothing
    expect(endpoint.isLetIn(await send(endpoint, assertion))).toBe(true);
  });

  it('an assertion twice as a parameter is invalid_request (S068)', async () => {
    const { client_assertion: assertion = '', client_assertion_type: type = '' } = await asserted(client);
    const payload = new URLSearchParams([
      ...Object.entries(endpoint.form()),
      ['client_assertion_type', type],
      ['client_assertion', assertion],
      ['client_assertion', assertion],
    ]).toString();
    const twice = await postForm(api, endpoint.path, payload);
    expectOAuthError(twice, 400, 'invalid_request');
  });

  it('an assertion of 2 MB, or with 5,000 claims, is refused before it is read (S075)', async () => {
    const claims = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`c${i}`, i]));
    const many = await asserted(client, { claims });
    for (const proof of [many, { ...many, client_assertion: `${'a'.repeat(2_000_000)}.b.c` }]) {
      expectOAuthError(await send(endpoint, proof), 400, 'invalid_request');
    }
  });
});

describe('an assertion', () => {
  it('is good once, at one endpoint of one replica, however many it is sent to at once', async () => {
    const proof = await asserted(client);
    const attempts = Object.values(ENDPOINTS).flatMap((endpoint) =>
      [api, replica, api, replica].map(async (on) => endpoint.isLetIn(await send(endpoint, proof, {}, on))),
    );
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    expectOAuthError(await send(ENDPOINTS.token, proof, {}, replica), 401, 'invalid_client');
  });

  it('is good once without a jti, too, at once and later (S214)', async () => {
    const proof = await asserted(client, { claims: { jti: undefined } });
    const attempts = Object.values(ENDPOINTS).flatMap((endpoint) =>
      [api, replica, api, replica].map(async (on) => endpoint.isLetIn(await send(endpoint, proof, {}, on))),
    );
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    const again = { ...proof, client_assertion: `${proof['client_assertion']}=` };
    for (const one of [proof, again]) {
      expectOAuthError(await send(ENDPOINTS.token, one, {}, replica), 401, 'invalid_client');
    }
  });

  it('leaves no trace of itself that could be used', async () => {
    const { rows: before } = await api.sql.query(`SELECT hash FROM used_assertions`);
    const claims = { jti: 'Marker-jti' };
    await send(ENDPOINTS.introspect, await asserted(client, { claims }));
    const { rows } = await api.sql.query(`SELECT t::text AS row FROM used_assertions t`);
    expect(rows.length).toBe(before.length + 1);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('Marker').toString('hex'));
    // one that is refused is not remembered at all: nobody fills the table without a key
    await send(ENDPOINTS.introspect, await asserted({ ...client, signer: makeSigner('ES256') }));
    const after = await api.sql.query(`SELECT 1 FROM used_assertions`);
    expect(after.rowCount).toBe(rows.length);
  });
});

describe('keys', () => {
  it('two at a time, so that one can be exchanged for the next', async () => {
    const next = makeSigner('Ed25519');
    const second = { ...client, signer: next, keyId: await addKey(api, world, client, next) };
    for (const subject of [client, second]) {
      expect(ENDPOINTS.token.isLetIn(await send(ENDPOINTS.token, await asserted(subject)))).toBe(true);
    }
  });

  it('that has expired is no key, and the others go on (S073)', async () => {
    const signer = makeSigner('ES256');
    const keyId = await addKey(api, world, client, signer, new Date(Date.now() - 1000));
    const expired = await asserted({ ...client, signer, keyId });
    expectOAuthError(await send(ENDPOINTS.token, expired), 401, 'invalid_client');
    expect(ENDPOINTS.token.isLetIn(await send(ENDPOINTS.token, await asserted(client)))).toBe(true);
  });
});
