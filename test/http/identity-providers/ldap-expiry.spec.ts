import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { WarnOfExpiringDirectories1796780000000 } from '../../../migrations/1796780000000-warn-of-expiring-directories.js';
import { IdentityProvidersStore } from '../../../src/domain/identity-providers/identity-providers.store.js';
import { RefreshProviders } from '../../../src/domain/identity-providers/refresh-providers.js';
import { aCertificate } from '../../support/certificates.js';
import { given } from '../../support/given.js';
import { anIdentityProvider } from '../../support/identity-providers.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const BODY = {
  kind: 'ldap',
  name: 'Acme accounts',
  urls: ['ldaps://directory.test'],
  baseDn: 'dc=test',
  bindDn: 'cn=identity,dc=test',
  bindPassword: 'secret',
  userFilter: '(uid={loginName})',
};

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function authority(days: number): Promise<string> {
  return (await aCertificate({ isAuthority: true, days: [-1, days] })).pem;
}

async function add(changes: object): Promise<string> {
  return (await anIdentityProvider(owner, { ...BODY, ...changes })).id;
}

async function read(id: string): Promise<Record<string, unknown>> {
  return (await owner.call('GET', `idps/${id}`)).json<{ idp: Record<string, unknown> }>().idp;
}

async function told(id: string): Promise<unknown[]> {
  await api.app.get(RefreshProviders).run();
  const { rows } = await api.sql.query<{ date: string }>(
    `SELECT data ->> 'expirationDate' AS date FROM events
     WHERE aggregate_id = $1 AND type = 'identity_provider.expiring' ORDER BY position`,
    [id],
  );
  return rows.map(({ date }) => date);
}

it('what expires of a directory is shown and told: its authority or its password, whichever is first', async () => {
  const providers = api.app.get(IdentityProvidersStore);
  const counted = await providers.countExpiring(30);
  const caCertificate = (await authority(200)) + (await authority(20));
  const id = await add({ caCertificate, secretExpirationDate: inDays(25) });
  const { expirationDate, secretExpirationDate } = await read(id);
  expect(Math.abs(Date.parse(String(expirationDate)) - Date.parse(inDays(20)))).toBeLessThan(60_000);
  expect(Date.parse(String(secretExpirationDate))).toBeGreaterThan(Date.parse(String(expirationDate)));
  expect(await told(id)).toEqual([expirationDate]);
  expect(await told(id)).toHaveLength(1);
  expect(await providers.countExpiring(30)).toBe(counted + 1);

  const renewed = { ...BODY, caCertificate: await authority(200), secretExpirationDate: inDays(25) };
  expect((await owner.call('PUT', `idps/${id}`, renewed)).statusCode).toBe(200);
  const password = (await read(id))['expirationDate'];
  expect(password).toBe(renewed.secretExpirationDate);
  expect(await told(id)).toEqual([expirationDate, password]);

  // the password stays where it is left out, since it goes where it went
  const { bindPassword: _, ...kept } = { ...renewed, secretExpirationDate: inDays(90) };
  expect((await owner.call('PUT', `idps/${id}`, kept)).statusCode).toBe(200);
  expect(await told(id)).toHaveLength(2);
  expect(await providers.countExpiring(30)).toBe(counted);
});

it('directories that were there before are warned of after the migration', async () => {
  const expiring = await add({ caCertificate: (await authority(200)) + (await authority(9)) });
  const others = [await add({}), await add({ caCertificate: await authority(90) })];
  await api.sql.query(`UPDATE identity_providers SET expires_at = NULL WHERE kind = 'ldap'`);
  expect(await told(expiring)).toEqual([]);
  const runner = api.app.get(DataSource).createQueryRunner();
  try {
    await new WarnOfExpiringDirectories1796780000000().up(runner);
  } finally {
    await runner.release();
  }
  expect(await told(expiring)).toEqual([(await read(expiring))['expirationDate']]);
  for (const id of others) expect(await told(id)).toEqual([]);
});
