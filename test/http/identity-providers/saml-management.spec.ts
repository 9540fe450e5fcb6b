import { webcrypto } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EraseProvidersOfRemoved1796785000000 } from '../../../migrations/1796785000000-erase-providers-of-removed.js';
import { IdentityProvidersStore } from '../../../src/domain/identity-providers/identity-providers.store.js';
import { RefreshProviders } from '../../../src/domain/identity-providers/refresh-providers.js';
import { Log } from '../../../src/domain/shared/log.js';
import { UserMigrationsStore } from '../../../src/domain/user-migration/user-migrations.store.js';
import { ExpiryMetrics } from '../../../src/ops/expiry-metrics.js';
import { Metrics } from '../../../src/ops/metrics.js';
import { aReplica } from '../../support/api.js';
import { errorBody } from '../../support/calls.js';
import { aCertificate } from '../../support/certificates.js';
import { given } from '../../support/given.js';
import { SamlProvider } from '../../support/saml-provider.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

let foreign: SamlProvider;
let next: SamlProvider;
let server: Server;
let metadataUrl: string;
/** What is served, and how often somebody asked. */
let served: { status: number; body: string; location?: string };
let calls = 0;
/** What somebody does while it is read. */
let meanwhile: (() => Promise<void>) | undefined;
beforeAll(async () => {
  [foreign, next] = await Promise.all([SamlProvider.start(), SamlProvider.start()]);
  server = createServer((request, response) => {
    calls += 1;
    const answer = (): void => {
      response.writeHead(served.status, served.location === undefined ? {} : { location: served.location });
      response.end(served.body);
    };
    if (request.url?.endsWith('?slow') === true && meanwhile !== undefined) {
      meanwhile().then(answer, (error: unknown) => request.destroy(error as Error));
    } else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
  served = { status: 200, body: foreign.metadata() };
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const SAML = { kind: 'saml', name: 'Directory' };

async function add(body: object): Promise<string> {
  const response = await owner.call('POST', 'idps', { ...SAML, ...body });
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ id: string }>().id;
}

async function read(id: string): Promise<Record<string, unknown>> {
  return (await owner.call('GET', `idps/${id}`)).json<{ idp: Record<string, unknown> }>().idp;
}

describe('providers that speak SAML', () => {
  it('is read from its metadata, and says who we are', async () => {
    const id = await add({ metadata: foreign.metadata() });
    const idp = await read(id);
    expect(idp).toMatchObject({
      kind: 'saml',
      callbackUrl: `https://id.test/login/idps/${id}/callback`,
      serviceProviderMetadataUrl: `https://id.test/login/idps/${id}/metadata`,
      entityId: foreign.entityId,
      ssoUrl: foreign.ssoUrl,
      nameIdFormat: 'persistent',
      signRequests: true,
      wantAssertionsSigned: true,
      wantAssertionsEncrypted: false,
      trustEmail: false,
      hasSecret: true,
    });
    expect(idp['certificates']).toHaveLength(1);
    expect(JSON.stringify(idp)).not.toContain('PRIVATE KEY');
    const { rows } = await api.sql.query<{ all: string }>(
      'SELECT p::text AS all FROM identity_providers p WHERE id = $1',
      [id],
    );
    expect(Buffer.from(rows[0]?.all ?? '').includes('PRIVATE KEY')).toBe(false);
  });

  it('keeps its key, and stays who it is', async () => {
    const id = await add({ metadata: foreign.metadata() });
    const keyOf = async () => /X509Certificate>([^<]*)</.exec((await ownMetadata(id)).body)?.[1];
    const key = await keyOf();
    const { entityId, ssoUrl, certificates } = await read(id);
    const whole = { ...SAML, entityId, ssoUrl, certificates };
    expect((await owner.call('PUT', `idps/${id}`, { ...whole, signRequests: false })).statusCode).toBe(200);
    expect((await ownMetadata(id)).body).not.toContain('X509Certificate');
    expect(
      (await owner.call('PUT', `idps/${id}`, { ...whole, wantAssertionsEncrypted: true })).statusCode,
    ).toBe(200);
    expect(await keyOf()).toBe(key);
    for (const changed of [
      { entityId: 'https://other.test' },
      { nameIdFormat: 'emailAddress' },
      { subjectAttribute: 'oid' },
    ]) {
      expect((await owner.call('PUT', `idps/${id}`, { ...whole, ...changed })).json()).toMatchObject({
        code: 3,
      });
    }
  });

  it('is not made another one in two steps (S501)', async () => {
    const id = await add({ metadata: foreign.metadata() });
    expect((await owner.call('POST', `idps/${id}/_activate`)).statusCode).toBe(200);
    const { entityId, ssoUrl, certificates } = await read(id);
    const before = await read(id);
    for (const taken of [
      { entityId, ssoUrl, certificates: [] },
      { entityId, certificates },
      { entityId },
      {},
    ]) {
      expect((await owner.call('PUT', `idps/${id}`, { ...SAML, ...taken })).json()).toMatchObject({
        code: 3,
      });
    }
    expect(await read(id)).toEqual(before);
  });

  it('stays the one that its people were named at, though nobody could sign in yet (S501)', async () => {
    const put = async (id: string, changes: object) =>
      (await owner.call('PUT', `idps/${id}`, { ...SAML, ...changes })).statusCode;
    const known = await add({ entityId: 'https://first.test' });
    const unknown = await add({});
    const user = await aUser(world);
    expect(await put(known, { entityId: 'https://second.test' })).toBe(200);
    for (const idpId of [known, unknown]) {
      const named = { idpId, externalUserId: 'ada' };
      expect((await owner.call('POST', `users/${user.userId}/idps`, named)).statusCode).toBe(200);
    }
    expect(await put(known, { entityId: 'https://third.test' })).toBe(400);
    expect(await put(known, {})).toBe(400);
    expect(await put(known, { entityId: 'https://second.test', name: 'Renamed' })).toBe(200);
    expect(await put(unknown, { entityId: 'https://first.test' })).toBe(200);
  });

  it('can be told our addresses before we know its own, and signs nobody in before', async () => {
    const id = await add({});
    expect((await ownMetadata(id)).statusCode).toBe(200);
    expect((await owner.call('POST', `idps/${id}/_activate`)).json()).toEqual(
      errorBody(9, 'Metadata of the provider is missing', 'IDP-Mm3cx'),
    );
    const told = await owner.call('PUT', `idps/${id}`, { ...SAML, metadata: foreign.metadata() });
    expect(told.statusCode, told.body).toBe(200);
    expect((await owner.call('POST', `idps/${id}/_activate`)).statusCode).toBe(200);
  });

  it('is read from its address, and again when somebody asks', async () => {
    served = { status: 200, body: foreign.metadata() };
    const id = await add({ metadataUrl });
    const before = await read(id);
    expect(before).toMatchObject({ entityId: foreign.entityId, metadataUrl });
    const asked = calls;
    const unchanged = await owner.call('POST', `idps/${id}/_refresh`);
    expect(unchanged.statusCode).toBe(200);
    expect(calls).toBe(asked + 1);
    expect((await read(id))['details']).toEqual(before['details']);
    served = { status: 200, body: next.metadata() };
    expect((await owner.call('POST', `idps/${id}/_refresh`)).statusCode).toBe(200);
    expect((await read(id))['certificates']).not.toEqual(before['certificates']);
    served = { status: 200, body: next.metadata().replace('https://idp.test', 'https://evil.test') };
    expect((await owner.call('POST', `idps/${id}/_refresh`)).json()).toMatchObject({ code: 3 });
    served = { status: 503, body: '' };
    expect((await owner.call('POST', `idps/${id}/_refresh`)).json()).toEqual(
      errorBody(9, 'The metadata could not be fetched', 'IDP-Mu6nf'),
    );
    const another = await add({ metadata: foreign.metadata() });
    expect((await owner.call('POST', `idps/${another}/_refresh`)).json()).toMatchObject({ code: 9 });
    expect((await owner.call('POST', 'idps/nobody/_refresh')).statusCode).toBe(404);
  });

  it('is read, though addresses beside its own have none', async () => {
    served = { status: 200, body: foreign.metadata() };
    const [gone, there] = [await add({ metadataUrl }), await add({ metadataUrl })];
    served = { status: 404, body: 'nothing is here' };
    for (let tries = 0; tries < 6; tries += 1) {
      expect((await owner.call('POST', `idps/${gone}/_refresh`)).json()).toMatchObject({ code: 9 });
    }
    served = { status: 200, body: next.metadata() };
    expect((await owner.call('POST', `idps/${there}/_refresh`)).statusCode).toBe(200);
    expect(await read(there)).toMatchObject({ ssoUrl: next.ssoUrl });
  });

  it.each([
    ['what is no XML', 'metadata'],
    ['another document', '<a/>'],
    ['a document type', '<!DOCTYPE a><a/>'],
  ])('refuses %s', async (_case, metadata) => {
    const refused = await owner.call('POST', 'idps', { ...SAML, metadata });
    expect(refused.json<{ message: string }>().message).toContain(
      'metadata is not the metadata of an identity provider',
    );
  });

  it.each([
    [
      'metadata that has expired',
      () => ({ metadata: foreign.metadata({ validUntil: '2020-01-01T00:00:00Z' }) }),
    ],
    ['metadata without HTTP-Redirect', () => ({ metadata: foreign.metadata({ binding: 'SOAP' }) })],
    [
      'an entity of a file',
      () => ({
        metadata: foreign.metadata({ before: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' }),
      }),
    ],
    ['no certificate', () => ({ certificates: ['bm90aGluZw=='] })],
    ['an address that is no page', () => ({ ssoUrl: 'javascript:alert(1)' })],
    ['names of one sign-in', () => ({ nameIdFormat: 'transient' })],
    ['fields of another kind', () => ({ clientId: 'c' })],
    ['a secret', () => ({ clientSecret: 'c' })],
    ['a metadata service', () => ({ metadataUrl: 'http://169.254.169.254/latest' })],
  ])('refuses %s', async (_case, body) => {
    expect((await owner.call('POST', 'idps', { ...SAML, ...body() })).json()).toMatchObject({ code: 3 });
  });

  it('is asked for nowhere but where this service may call, by no redirect, and not without end', async () => {
    const refusal = errorBody(9, 'The metadata could not be fetched', 'IDP-Mu6nf');
    served = { status: 302, body: '', location: 'http://169.254.169.254/' };
    expect((await owner.call('POST', 'idps', { ...SAML, metadataUrl })).json()).toEqual(refusal);
    served = { status: 200, body: `<a>${'x'.repeat(600_000)}</a>` };
    expect((await owner.call('POST', 'idps', { ...SAML, metadataUrl })).json()).toEqual(refusal);
    served = { status: 200, body: foreign.metadata() };
    const strict = await aReplica(api);
    const asked = calls;
    for (const url of [
      metadataUrl,
      metadataUrl.replace('http:', 'https:'),
      'https://localhost/x',
      'https://[::1]/',
    ]) {
      const response = await owner.call('POST', 'idps', { ...SAML, metadataUrl: url }, { on: strict });
      expect(response.json()).toMatchObject({ code: 3 });
    }
    expect(calls).toBe(asked);
  });
});

describe('once a day', () => {
  it('metadata is read again, and whoever does not answer stays as it is', async () => {
    served = { status: 200, body: foreign.metadata() };
    const id = await add({ metadataUrl });
    await owner.call('POST', `idps/${id}/_activate`);
    const before = (await read(id))['certificates'];
    served = { status: 503, body: '' };
    await api.app.get(RefreshProviders).run();
    expect((await read(id))['certificates']).toEqual(before);
    // what no database could keep stops nothing
    for (const odd of ['&#0;', '&#xD800;', 'x'.repeat(3_000)]) {
      served = {
        status: 200,
        body: next.metadata().replaceAll('Location="', `Location="https://idp.example/${odd}`),
      };
      await api.app.get(RefreshProviders).run();
      expect((await read(id))['certificates']).toEqual(before);
    }
    served = { status: 200, body: next.metadata() };
    await api.app.get(RefreshProviders).run();
    expect((await read(id))['certificates']).not.toEqual(before);
    const { rows } = await api.sql.query(
      `SELECT actor_id, fields FROM events WHERE aggregate_id = $1 AND type = 'identity_provider.changed'`,
      [id],
    );
    expect(rows).toEqual([{ actor_id: null, fields: ['certificates'] }]);
  });

  it('undoes nothing that somebody typed while it was read (S299)', async () => {
    served = { status: 200, body: foreign.metadata() };
    const slow = `${metadataUrl}?slow`;
    const id = await add({ metadataUrl: slow });
    await owner.call('POST', `idps/${id}/_activate`);
    const { certificates, entityId } = await read(id);
    const typed = { ...SAML, metadataUrl: slow, entityId, certificates };
    let moved = 0;
    for (const readAgain of [
      async () => await api.app.get(RefreshProviders).run(),
      async () =>
        expect((await owner.call('POST', `idps/${id}/_refresh`)).json()).toMatchObject({ code: 10 }),
    ]) {
      served = { status: 200, body: next.metadata() };
      const ssoUrl = `https://idp.test/moved-${++moved}`;
      meanwhile = async () => {
        meanwhile = undefined;
        const put = await owner.call('PUT', `idps/${id}`, { ...typed, ssoUrl, name: 'Typed' });
        expect(put.statusCode, put.body).toBe(200);
      };
      await readAgain();
      expect(await read(id)).toMatchObject({ ssoUrl, certificates });
    }
    // what is read now is of the provider as it is now, and what was typed stands
    await api.app.get(RefreshProviders).run();
    const later = await read(id);
    expect(later).toMatchObject({ ssoUrl: 'https://idp.test/moved-2' });
    expect(later['certificates']).not.toEqual(certificates);
  });

  it('is taken though somebody switches the provider on, or reads it too, meanwhile', async () => {
    served = { status: 200, body: foreign.metadata() };
    const id = await add({ metadataUrl: `${metadataUrl}?slow` });
    served = { status: 200, body: next.metadata().replaceAll(next.entityId, foreign.entityId) };
    for (const path of ['_activate', '_refresh']) {
      meanwhile = async () => {
        meanwhile = undefined;
        expect((await owner.call('POST', `idps/${id}/${path}`)).statusCode).toBe(200);
      };
      const again = await owner.call('POST', `idps/${id}/_refresh`);
      expect(again.statusCode, again.body).toBe(200);
      expect(await read(id)).toMatchObject({ ssoUrl: next.ssoUrl });
    }
  });

  it('exchanges no certificate that somebody typed beside the address (S321)', async () => {
    served = { status: 200, body: foreign.metadata() };
    const other = await read(await add({ metadata: next.metadata() }));
    const chosen = { certificates: other['certificates'] };
    const id = await add({ metadataUrl, ...chosen });
    await owner.call('POST', `idps/${id}/_activate`);
    const readAgain = async () => {
      await api.app.get(RefreshProviders).run();
      expect((await owner.call('POST', `idps/${id}/_refresh`)).statusCode).toBe(200);
      return await read(id);
    };
    expect(await readAgain()).toMatchObject({ entityId: foreign.entityId, ...chosen });
    // a form sends all that it shows
    const { entityId, ssoUrl, certificates } = await read(id);
    const shown = { ...SAML, metadataUrl, entityId, ssoUrl, certificates };
    await owner.call('PUT', `idps/${id}`, { ...shown, name: 'Renamed' });
    expect(await readAgain()).toMatchObject({ name: 'Renamed', ...chosen });
    expect(Object.keys(await read(id))).not.toContain('typed');
    // without them it is as the metadata says, and goes on so where a form sends what was read
    await owner.call('PUT', `idps/${id}`, { ...SAML, metadataUrl });
    const asRead = await read(id);
    expect(asRead['certificates']).not.toEqual(certificates);
    await owner.call('PUT', `idps/${id}`, { ...shown, certificates: asRead['certificates'] });
    served = { status: 200, body: next.metadata() };
    expect(await readAgain()).toMatchObject(chosen);
  });

  it('what expires within thirty days is told once for each date', async () => {
    const providers = api.app.get(IdentityProvidersStore);
    const counted = await providers.countExpiring(30);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const body = {
      kind: 'google',
      name: 'Expiring',
      clientId: 'c',
      clientSecret: 's',
      secretExpirationDate: inDays(29),
    };
    const { id } = (await owner.call('POST', 'idps', body)).json<{ id: string }>();
    expect(await read(id)).toMatchObject({
      secretExpirationDate: body.secretExpirationDate,
      expirationDate: body.secretExpirationDate,
    });
    const told = async () => {
      await api.app.get(RefreshProviders).run();
      const { rows } = await api.sql.query<{ data: unknown }>(
        `SELECT data FROM events WHERE aggregate_id = $1 AND type = 'identity_provider.expiring'`,
        [id],
      );
      return rows.map(({ data }) => data);
    };
    // nobody uses it yet
    expect(await told()).toEqual([]);
    await owner.call('POST', `idps/${id}/_activate`);
    expect(await told()).toEqual([{ expirationDate: body.secretExpirationDate }]);
    expect(await told()).toHaveLength(1);
    expect(await providers.countExpiring(30)).toBe(counted + 1);
    const renewed = { ...body, clientSecret: 't', secretExpirationDate: inDays(31) };
    expect((await owner.call('PUT', `idps/${id}`, renewed)).statusCode).toBe(200);
    expect(await told()).toHaveLength(1);
    expect(await providers.countExpiring(30)).toBe(counted);
  });

  it('certificates that expire are told of by the last of them, in an event and to operators', async () => {
    const store = api.app.get(IdentityProvidersStore);
    const counted = await store.countExpiring(30);
    const metrics = new Metrics();
    const counts = new ExpiryMetrics(metrics, store, api.app.get(UserMigrationsStore));
    expect(counts).toBeDefined();
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(
      { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ['sign', 'verify'],
    );
    const pem = async (days: number) => (await aCertificate({ days: [-1, days], keys, algorithm })).pem;
    const whole = {
      ...SAML,
      entityId: 'https://expiring.test',
      ssoUrl: 'https://expiring.test/sso',
      certificates: [await pem(5), await pem(20)],
    };
    const id = await add(whole);
    expect((await owner.call('POST', `idps/${id}/_activate`)).statusCode).toBe(200);
    const { expirationDate } = await read(id);
    expect(Math.abs(Date.parse(String(expirationDate)) - Date.now() - 20 * 86_400_000)).toBeLessThan(60_000);
    const warn = vi.spyOn(api.app.get(Log, { strict: false }), 'warn');
    const told = async () => {
      await api.app.get(RefreshProviders).run();
      const { rows } = await api.sql.query<{ date: string }>(
        `SELECT data ->> 'expirationDate' AS date FROM events
         WHERE aggregate_id = $1 AND type = 'identity_provider.expiring'`,
        [id],
      );
      return rows.map(({ date }) => date);
    };
    try {
      expect(await told()).toEqual([expirationDate]);
      expect(warn.mock.calls).toContainEqual([
        'a secret or certificate of an identity provider expires soon',
        { id, expiresAt: expirationDate },
      ]);
      expect(await metrics.render()).toContain(`identity_idps_expiring ${counted + 1}\n`);
      expect(await told()).toHaveLength(1);
      // the next certificate is there already
      const renewed = { ...whole, certificates: [...whole.certificates, await pem(200)] };
      expect((await owner.call('PUT', `idps/${id}`, renewed)).statusCode).toBe(200);
      expect(await told()).toHaveLength(1);
      expect(await metrics.render()).toContain(`identity_idps_expiring ${counted}\n`);
    } finally {
      warn.mockRestore();
    }
  });

  it('those of an organization that is shut or removed are neither read nor warned of (S352)', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const { orgId } = await anOrganization(api);
    const as = { headers: { 'x-zitadel-orgid': orgId } };
    const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
      const response = await root.call(method, path, body, as);
      expect(response.statusCode, response.body).toBe(200);
      return response.json<{ id: string }>();
    };
    await send('PUT', 'user_migration', {
      kind: 'webhook',
      url: 'https://old.example.com/sign-in',
      isActive: true,
      endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    served = { status: 200, body: foreign.metadata() };
    const { id: read } = await send('POST', 'idps', { ...SAML, metadataUrl });
    const { id: expiring } = await send('POST', 'idps', {
      kind: 'google',
      name: 'Expiring',
      clientId: 'c',
      clientSecret: 's',
      secretExpirationDate: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const providers = api.app.get(IdentityProvidersStore);
    const unused = await providers.countExpiring(30);
    for (const id of [read, expiring]) await send('POST', `idps/${id}/_activate`);
    const seen = async () => {
      const places = await providers.listRead(undefined, 1_000);
      return [places.some(({ id }) => id === read), (await providers.countExpiring(30)) - unused];
    };
    expect(await seen()).toEqual([true, 1]);
    await send('POST', 'orgs/me/_deactivate');
    expect(await seen()).toEqual([false, 0]);
    await api.app.get(RefreshProviders).run();
    await send('POST', 'orgs/me/_reactivate');
    expect(await seen()).toEqual([true, 1]);
    await send('DELETE', 'orgs/me');
    expect(await seen()).toEqual([false, 0]);
    await api.app.get(RefreshProviders).run();
    const { rows } = await api.sql.query(
      `SELECT type FROM events WHERE org_id = $1 AND type = 'identity_provider.expiring'`,
      [orgId],
    );
    expect(rows).toEqual([]);

    const left = async () => {
      const found = await api.sql.query<{ org_id: string }>(
        'SELECT org_id FROM identity_providers UNION ALL SELECT org_id FROM user_migrations',
      );
      return [orgId, world.orgId].map((one) => found.rows.filter(({ org_id }) => org_id === one).length);
    };
    const [ofRemoved, ofOther] = await left();
    expect(ofRemoved).toBe(3);
    expect(ofOther).toBeGreaterThan(0);
    const runner = api.app.get(DataSource).createQueryRunner();
    try {
      await new EraseProvidersOfRemoved1796785000000().up(runner);
    } finally {
      await runner.release();
    }
    expect(await left()).toEqual([0, ofOther]);
  });
});

async function ownMetadata(id: string) {
  return await api.app.inject({ method: 'GET', url: `/login/idps/${id}/metadata` });
}
