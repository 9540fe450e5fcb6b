import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { WarnOfExpiringOldSystems1796786000000 } from '../../../migrations/1796786000000-warn-of-expiring-old-systems.js';
import { WarnOfExpiry } from '../../../src/domain/identity-providers/warn-of-expiry.js';
import { UserMigrationsStore } from '../../../src/domain/user-migration/user-migrations.store.js';
import { WarnOfOldSystems } from '../../../src/domain/user-migration/warn-of-old-systems.js';
import { aCertificate } from '../../support/certificates.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function authority(days: number): Promise<string> {
  return (await aCertificate({ isAuthority: true, days: [-1, days] })).pem;
}

const settings = (changes: object) => ({
  kind: 'ldap',
  urls: ['ldaps://directory.test'],
  baseDn: 'dc=test',
  bindDn: 'cn=identity,dc=test',
  bindPassword: 'secret',
  userFilter: '(uid={loginName})',
  isActive: true,
  endsAt: inDays(90),
  ...changes,
});

async function set(changes: object): Promise<void> {
  const answer = await owner.call('PUT', 'user_migration', settings(changes));
  expect(answer.statusCode, answer.body).toBe(200);
}

async function read(): Promise<Record<string, unknown>> {
  const answer = await owner.call('GET', 'user_migration');
  return answer.json<{ userMigration: Record<string, unknown> }>().userMigration;
}

/** What was told of it, after another look. */
async function told({ orgId }: Pick<World, 'orgId'> = world): Promise<unknown[]> {
  await new WarnOfOldSystems(api.app.get(UserMigrationsStore), api.app.get(WarnOfExpiry)).run();
  const { rows } = await api.sql.query<{ date: string }>(
    `SELECT data ->> 'expirationDate' AS date FROM events
     WHERE org_id = $1 AND type = 'user_migration.expiring' ORDER BY position`,
    [orgId],
  );
  return rows.map(({ date }) => date);
}

it('a directory that people come over from is announced before its authority or password expires', async () => {
  const store = api.app.get(UserMigrationsStore);
  const counted = await store.countExpiring(30);
  const caCertificate = (await authority(200)) + (await authority(20));
  await set({ caCertificate, secretExpirationDate: inDays(25), isActive: false });
  const { expirationDate, secretExpirationDate } = await read();
  expect(Math.abs(Date.parse(String(expirationDate)) - Date.parse(inDays(20)))).toBeLessThan(60_000);
  expect(Date.parse(String(secretExpirationDate))).toBeGreaterThan(Date.parse(String(expirationDate)));
  expect(await told()).toEqual([]);

  await set({ caCertificate, secretExpirationDate });
  expect(await store.countExpiring(30)).toBe(counted + 1);
  expect(await told()).toEqual([expirationDate]);
  expect(await told()).toHaveLength(1);

  // the password stays where it is left out, since it goes where it went
  const renewed = { caCertificate: await authority(200), secretExpirationDate: inDays(25) };
  await set(renewed);
  const { bindPassword: _, ...kept } = settings({ ...renewed, deadlineMs: 500 });
  expect((await owner.call('PUT', 'user_migration', kept)).statusCode).toBe(200);
  expect(await told()).toEqual([expirationDate, renewed.secretExpirationDate]);

  await set({ ...renewed, secretExpirationDate: inDays(80) });
  expect(await told()).toHaveLength(2);
  expect(await store.countExpiring(30)).toBe(counted);
});

it('is not told of what is over before, nor of a webhook', async () => {
  const before = (await told()).length;
  await set({ caCertificate: await authority(8), endsAt: inDays(7) });
  expect((await told()).length).toBe(before);
  const webhook = { kind: 'webhook', url: 'https://old.example.com/', endsAt: inDays(90), isActive: true };
  const named = { ...webhook, secretExpirationDate: inDays(3) };
  expect((await owner.call('PUT', 'user_migration', named)).statusCode).toBe(400);
  expect((await owner.call('PUT', 'user_migration', webhook)).statusCode).toBe(200);
  expect(await read()).not.toHaveProperty('expirationDate');
  expect((await told()).length).toBe(before);
});

it('nobody is told of a deactivated organization', async () => {
  const root = await aServiceUser(world, 'IAM_OWNER');
  const other = await anOrganization(api);
  const as = { headers: { 'x-zitadel-orgid': other.orgId } };
  const body = settings({ secretExpirationDate: inDays(2) });
  expect((await root.call('PUT', 'user_migration', body, as)).statusCode).toBe(200);
  await root.call('POST', 'orgs/me/_deactivate', {}, as);
  expect(await told(other)).toEqual([]);
  await root.call('POST', 'orgs/me/_reactivate', {}, as);
  expect(await told(other)).toHaveLength(1);
});

it('those that were there before are told of after the migration', async () => {
  await set({ caCertificate: (await authority(200)) + (await authority(9)) });
  await api.sql.query(`UPDATE user_migrations SET expires_at = NULL WHERE org_id = $1`, [world.orgId]);
  const before = await told();
  const runner = api.app.get(DataSource).createQueryRunner();
  try {
    await new WarnOfExpiringOldSystems1796786000000().readDates(runner);
  } finally {
    await runner.release();
  }
  expect(await told()).toEqual([...before, (await read())['expirationDate']]);
});
