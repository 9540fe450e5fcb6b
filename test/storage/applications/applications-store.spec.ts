import { beforeAll, describe, expect, it } from 'vitest';
import { ApplicationsStore } from '../../../src/domain/applications/applications.store.js';
import type { ApplicationId } from '../../../src/domain/shared/ids.js';
import { sha256 } from '../../../src/domain/shared/random.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

let applications: ApplicationsStore;

const { api, world } = useWorld();
beforeAll(async () => {
  applications = api.app.get(ApplicationsStore);
});

describe('a client', () => {
  it('is found by its client id, and as what a browser flow needs', async () => {
    const client = await anApplication(world, { clockSkewSeconds: 3, idTokenUserinfoAssertion: true });
    const found = await applications.findClient(client.clientId);
    expect(found).toMatchObject({
      id: client.id,
      orgId: world.orgId,
      projectId: world.projectId,
      clientId: client.clientId,
      active: true,
      authMethod: 'client_secret_basic',
      grantTypes: ['authorization_code', 'refresh_token'],
      accessTokenType: 'opaque',
      idTokenUserinfoAssertion: true,
      clockSkewSeconds: 3,
      tokenEpoch: 0,
    });
    expect(found?.clientSecretHash?.equals(sha256(client.clientSecret))).toBe(true);
    const browser = await applications.findBrowserClient(client.clientId);
    expect(browser).toMatchObject({
      id: client.id,
      organization: { name: `Org ${world.domain}` },
      appType: 'web',
      devMode: false,
      responseTypes: ['code'],
      redirectUris: ['https://rp.test/cb'],
      postLogoutRedirectUris: ['https://rp.test/bye'],
    });
    expect(await applications.findBrowserApplication(client.id as ApplicationId)).toEqual(browser);
    expect(await applications.findClient('nobody')).toBeUndefined();
  });

  it('brings along how the organization wants to look', async () => {
    const own = await anOrganization(api);
    const client = await anApplication(own);
    const look = async () => (await applications.findBrowserClient(client.clientId))?.organization;
    expect(await look()).toEqual({ name: `Org ${own.domain}` });
    const logo = `${'0'.repeat(64)}.png`;
    await api.sql.query(
      `INSERT INTO branding_policies (org_id, display_name, accent_color, logo, logo_name, default_language,
         help_url, privacy_url)
       VALUES ($1, 'Acme', '#ff8800', '\\x01', $2, 'de', 'https://a.test/h', 'https://a.test/p')`,
      [own.orgId, logo],
    );
    expect(await look()).toEqual({
      name: 'Acme',
      accent: '#ff8800',
      logo,
      defaultLanguage: 'de',
      helpUrl: 'https://a.test/h',
      privacyUrl: 'https://a.test/p',
    });
  });

  it.each([
    ['applications', (client: TestClient) => client.id],
    ['projects', (_: TestClient, own: World) => own.projectId],
    ['organizations', (_: TestClient, own: World) => own.orgId],
  ])('is not active while its row in %s is not', async (table, idOf) => {
    const own = await anOrganization(api);
    const client = await anApplication(own, { additionalOrigins: ['https://inactive.test'] });
    await api.sql.query(`UPDATE ${table} SET state = 'inactive' WHERE id = $1`, [idOf(client, own)]);
    expect((await applications.findClient(client.clientId))?.active).toBe(false);
    expect((await applications.findBrowserClient(client.clientId))?.active).toBe(false);
    expect(await applications.isOriginRegistered('https://inactive.test')).toBe(false);
    expect(await applications.isOriginOfClient(client.clientId, 'https://inactive.test')).toBe(false);
  });

  it('loses with its secret what the secret obtained', async () => {
    const client = await anApplication(world);
    const details = await api.app
      .get(UnitOfWork)
      .run((tx) => applications.setSecret(tx, client.id as ApplicationId, sha256('new')));
    expect(details).toMatchObject({ sequence: '2', resourceOwner: world.orgId });
    const found = await applications.findClient(client.clientId);
    expect(found?.tokenEpoch).toBe(1);
    expect(found?.clientSecretHash?.equals(sha256('new'))).toBe(true);
  });
});

describe('an origin', () => {
  it('is registered by name or by a redirect URI, and compared as a whole', async () => {
    const client = await anApplication(world, {
      appType: 'native',
      additionalOrigins: ['https://named.test', 'http://localhost:3000'],
      redirectUris: [
        'https://Redirect.test/cb',
        'https://query.test?x=1',
        'https://bare.test',
        'https://port.test:443/cb',
        'com.example.app:/callback',
      ],
    });
    const other = await anApplication(world);
    for (const origin of [
      'https://named.test',
      'http://localhost:3000',
      'https://redirect.test',
      'https://query.test',
      'https://bare.test',
      'https://port.test',
    ]) {
      expect(await applications.isOriginRegistered(origin), origin).toBe(true);
      expect(await applications.isOriginOfClient(client.clientId, origin), origin).toBe(true);
      expect(await applications.isOriginOfClient(other.clientId, origin), origin).toBe(false);
    }
    for (const origin of [
      'http://named.test',
      'https://named.test.evil.test',
      'https://named.test:8443',
      'https://redirect.tes',
      'https://redirect.test/cb',
      'https:',
      'https://%',
      'null',
      '',
    ]) {
      expect(await applications.isOriginRegistered(origin), origin).toBe(false);
    }
  });

  it('is found by an index, however many applications there are', async () => {
    const connection = await api.sql.connect();
    try {
      await connection.query('BEGIN; SET LOCAL enable_seqscan = off');
      const { rows } = await connection.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT FROM applications a WHERE a.origins @> ARRAY['https://named.test'::text]`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('applications_origins');
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
    }
  });
});
