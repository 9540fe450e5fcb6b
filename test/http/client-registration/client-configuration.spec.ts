import { describe, expect, it } from 'vitest';
import { REDIRECT_URI } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  refreshTokens,
  TestBrowser,
} from '../../support/browser-flow.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  registering,
  type Registered,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError } from '../oidc/support/answers.js';

// What a client that registered itself reads, changes and removes (RFC 7592; security S283).

const { api, world } = useWorld({ CLIENT_REGISTRATION: 'token', RATE_LIMIT_REGISTRATION: '0' });
const initial = given(() => anInitialToken(world));
const user = given(() => aUser(world));

async function aClient(changes: Readonly<Record<string, unknown>> = {}): Promise<Registered> {
  return await aRegistered(api, initial.token, changes);
}

async function at(
  { registration_client_uri: url, registration_access_token: token }: Registered,
  method: 'GET' | 'PUT' | 'DELETE',
  body?: unknown,
) {
  return await registering(api, method, url, token, body);
}

function put(client: Registered, changes: Readonly<Record<string, unknown>> = {}) {
  return at(client, 'PUT', { client_id: client.client_id, ...metadata(changes) });
}

describe('the address of a client', () => {
  it('answers what is registered, without the secret, which is on file as a hash', async () => {
    const client = await aClient({ logo_uri: 'https://rp.test/logo' });
    const response = await at(client, 'GET');
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const { client_secret: _, ...rest } = client;
    expect(response.json()).toEqual(rest);
  });

  it('replaces the whole, and what is left out is gone', async () => {
    const client = await aClient({ logo_uri: 'https://rp.test/logo', contacts: ['ops@rp.test'] });
    const response = await put(client, { client_name: 'Renamed', redirect_uris: ['https://rp.test/new'] });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      client_name: 'Renamed',
      redirect_uris: ['https://rp.test/new'],
      registration_access_token: client.registration_access_token,
    });
    expect(response.json()).not.toHaveProperty('logo_uri');
    expect((await at(client, 'GET')).json()).toEqual(response.json());
    const browser = new TestBrowser(api);
    const old = { id: '', clientId: client.client_id, clientSecret: client.client_secret };
    expectErrorPage(await browser.get(authorizeUrl(codeRequest(old))), 400, 'redirect_uri');
  });

  it('keeps where a sign-in to it begins until it leaves that out, or another takes its place', async () => {
    const client = await aClient({ initiate_login_uri: 'https://rp.test/begin' });
    expect(client).toMatchObject({ initiate_login_uri: 'https://rp.test/begin' });
    expect((await at(client, 'GET')).json()).toMatchObject({ initiate_login_uri: 'https://rp.test/begin' });
    const moved = await put(client, { initiate_login_uri: 'https://rp.test/start' });
    expect(moved.json()).toMatchObject({ initiate_login_uri: 'https://rp.test/start' });
    const refused = await put(client, { initiate_login_uri: 'http://rp.test/start' });
    expect(expectOAuthError(refused, 400, 'invalid_client_metadata')).toContain(
      'initiate_login_uri must use https',
    );
    expect((await at(client, 'GET')).json()).toEqual(moved.json());
    const without = await put(client);
    expect(without.json()).not.toHaveProperty('initiate_login_uri');
    expect((await at(client, 'GET')).json()).toEqual(without.json());
  });

  it('refuses a foreign redirect URI, an own secret, and what may not be sent', async () => {
    const client = await aClient();
    expectOAuthError(
      await put(client, { redirect_uris: ['http://evil.test/'] }),
      400,
      'invalid_redirect_uri',
    );
    expectOAuthError(await put(client, { client_secret: 'chosen' }), 400, 'invalid_request');
    expectOAuthError(await put(client, { client_id_issued_at: 1 }), 400, 'invalid_request');
    expectOAuthError(await put(client, { client_id: 'another' }), 400, 'invalid_request');
    expectOAuthError(await at(client, 'PUT', metadata()), 400, 'invalid_request');
    const kept = await put(client, { client_secret: client.client_secret });
    expect(kept.statusCode).toBe(200);
    expect(kept.json()).not.toHaveProperty('client_secret');
  });

  it('gives a secret to a client that has one from now on, and ends what the one before obtained', async () => {
    const client = await aClient({ token_endpoint_auth_method: 'none' });
    const changed = (await put(client)).json<Registered>();
    expect(changed.client_secret).toMatch(/^[A-Za-z0-9]{64}$/);
    const withSecret = { id: '', clientId: client.client_id, clientSecret: changed.client_secret };
    const tokens = await obtainTokens(api, withSecret, user);
    const before = await registering(api, 'GET', '/oidc/v1/userinfo', tokens.access_token);
    expect(before.statusCode).toBe(200);
    await put(client, { token_endpoint_auth_method: 'none' });
    const after = await registering(api, 'GET', '/oidc/v1/userinfo', tokens.access_token);
    expect(after.statusCode).toBe(401);
  });

  it('keeps a grant type that an administrator has given it, where the client says it again', async () => {
    const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const client = await aClient({
      client_name: 'Given more',
      grant_types: ['authorization_code', EXCHANGE],
    });
    expect(client['grant_types']).toEqual(['authorization_code']);
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const apps = `projects/${world.projectId}/apps`;
    const queries = [{ nameQuery: { name: 'Given more' } }];
    const list = await owner.call('POST', `${apps}/_search`, { queries });
    const { id = '', oidcConfig } =
      list.json<{ result: { id: string; oidcConfig: object }[] }>().result[0] ?? {};
    const grantTypes = ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_TOKEN_EXCHANGE'];
    const { redirectUris } = oidcConfig as { redirectUris: string[] };
    const given = await owner.call('PUT', `${apps}/${id}/oidc_config`, { redirectUris, grantTypes });
    expect(given.statusCode).toBe(200);
    const grant_types = ['authorization_code', EXCHANGE];
    expect((await at(client, 'GET')).json()).toMatchObject({ grant_types });
    expect((await put(client, { grant_types })).json()).toMatchObject({ grant_types });
    const more = [...grant_types, 'urn:ietf:params:oauth:grant-type:device_code'];
    expect((await put(client, { grant_types: more })).json()).toMatchObject({ grant_types });
    expect((await put(client)).json()).toMatchObject({ grant_types: ['authorization_code'] });
    const again = await put(client, { grant_types });
    expect(again.json()).toMatchObject({ grant_types: ['authorization_code'] });
  });

  it('removes the client with all its tokens', async () => {
    const client = await aClient({ grant_types: ['authorization_code', 'refresh_token'] });
    const known = { id: '', clientId: client.client_id, clientSecret: client.client_secret };
    const tokens = await obtainTokens(api, known, user);
    const response = await at(client, 'DELETE');
    expect({ status: response.statusCode, body: response.body }).toEqual({ status: 204, body: '' });
    expectOAuthError(await at(client, 'GET'), 401, 'invalid_token');
    expectOAuthError(await at(client, 'DELETE'), 401, 'invalid_token');
    expect((await registering(api, 'GET', '/oidc/v1/userinfo', tokens.access_token)).statusCode).toBe(401);
    expectOAuthError(await refreshTokens(api, known, tokens), 401, 'invalid_client');
  });
});

describe('the token of a client', () => {
  it('opens no other client, and no token of another kind opens one', async () => {
    const mine = await aClient();
    const theirs = await aClient();
    for (const token of [
      mine.registration_access_token,
      initial.token,
      mine.client_secret,
      undefined,
      'reg_',
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const body = method === 'PUT' ? { client_id: theirs.client_id, ...metadata() } : undefined;
        const response = await registering(api, method, theirs.registration_client_uri, token, body);
        expectOAuthError(response, 401, 'invalid_token');
        expect(response.headers['www-authenticate']).toContain('Bearer error="invalid_token"');
      }
    }
    expect((await at(theirs, 'GET')).json()).toMatchObject({ redirect_uris: [REDIRECT_URI] });
  });

  it('tells nothing of clients that nobody registered', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const made = (
      await owner.call('POST', `projects/${world.projectId}/apps/oidc`, {
        name: 'Made',
        redirectUris: [REDIRECT_URI],
      })
    ).json<{ clientId: string }>();
    const mine = await aClient();
    for (const clientId of [made.clientId, 'nobodys', '%00', '../token']) {
      const url = `/oauth/v2/register/${encodeURIComponent(clientId)}`;
      const response = await registering(api, 'GET', url, mine.registration_access_token);
      expectOAuthError(response, 401, 'invalid_token');
    }
  });

  it('is dead while its application or project rests', async () => {
    const client = await aClient();
    await api.sql.query(`UPDATE applications SET state = 'inactive' WHERE client_id = $1`, [
      client.client_id,
    ]);
    expectOAuthError(await at(client, 'GET'), 401, 'invalid_token');
    await api.sql.query(`UPDATE applications SET state = 'active' WHERE client_id = $1`, [client.client_id]);
    expect((await at(client, 'GET')).statusCode).toBe(200);
  });

  it('changes nothing any more once an administrator has given the client access to our own APIs', async () => {
    const client = await aClient();
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const { rows } = await api.sql.query<{ id: string }>(`SELECT id FROM applications WHERE client_id = $1`, [
      client.client_id,
    ]);
    await api.sql.query(
      `UPDATE applications SET management_access = 'organization', access_given_by = $2 WHERE id = $1`,
      [rows[0]?.id, owner.userId],
    );
    for (const response of [await put(client), await at(client, 'DELETE')]) {
      expectOAuthError(response, 403, 'access_denied');
    }
  });

  it('makes one of many changes at once, each whole', async () => {
    const client = await aClient();
    const names = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
    const answers = await Promise.all(
      names.map((name, index) =>
        put(client, { client_name: name, redirect_uris: [`https://rp.test/${index}`] }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array<number>(8).fill(200));
    const last = (await at(client, 'GET')).json<Registered>();
    const index = names.indexOf(String(last['client_name']));
    expect(last['redirect_uris']).toEqual([`https://rp.test/${index}`]);
  });

  it('and a removal at the same time as changes leave nothing', async () => {
    const client = await aClient();
    const all = await Promise.all([put(client), at(client, 'DELETE'), put(client), at(client, 'DELETE')]);
    for (const { statusCode } of all) expect([200, 204, 401]).toContain(statusCode);
    const { rows } = await api.sql.query(`SELECT FROM applications WHERE client_id = $1`, [client.client_id]);
    expect(rows).toHaveLength(0);
  });
});
