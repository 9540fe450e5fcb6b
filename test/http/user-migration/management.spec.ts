import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));
const manager = given(() => aServiceUser(world, 'ORG_USER_MANAGER'));

const HOUR = 3_600_000;
const body = (changes: object = {}) => ({
  kind: 'webhook',
  url: 'https://old.example.com/sign-in',
  isActive: true,
  endsAt: new Date(Date.now() + 24 * HOUR).toISOString(),
  ...changes,
});

interface Found {
  readonly userMigration: { readonly details: { readonly sequence: string } } & Record<string, unknown>;
}

describe('the just-in-time migration of an organization', () => {
  it('is not there at first, is set up, replaced and removed, and each is an event', async () => {
    const before = (await viewer.call('GET', 'user_migration')).json<Found>();
    expect(before).toMatchObject({ userMigration: { isActive: false, details: { sequence: '0' } } });
    const added = await owner.call('PUT', 'user_migration', body({ expectedUsers: 40, isActive: false }));
    expect(added.statusCode).toBe(200);
    const { signingSecret } = added.json<{ signingSecret: string }>();
    expect(signingSecret).toMatch(/^[\w-]{40,}$/);
    const found = await viewer.call('GET', 'user_migration');
    expect(found.body).not.toContain(signingSecret);
    expect(found.json()).toMatchObject({
      userMigration: {
        isActive: false,
        kind: 'webhook',
        url: 'https://old.example.com/sign-in',
        expectedUsers: '40',
        requestsPerMinute: '600',
        deadlineMs: '2000',
        progress: { asked: '0', migrated: '0', refused: '0', failed: '0' },
      },
    });
    const replaced = await owner.call('PUT', 'user_migration', body({ deadlineMs: 500 }));
    expect(replaced.json()).not.toHaveProperty('signingSecret');
    const rotated = (await owner.call('POST', 'user_migration/_rotate_secret')).json<{
      signingSecret: string;
    }>();
    expect(rotated.signingSecret).not.toBe(signingSecret);
    await owner.call('PUT', 'user_migration', body({ isActive: false, deadlineMs: 500 }));
    expect((await owner.call('DELETE', 'user_migration')).statusCode).toBe(200);
    expect((await owner.call('DELETE', 'user_migration')).statusCode).toBe(404);
    expect((await owner.call('POST', 'user_migration/_rotate_secret')).statusCode).toBe(404);
    const { rows } = await api.sql.query<{ type: string; fields: string[] }>(
      `SELECT type, fields FROM events WHERE aggregate_type = 'user_migration' AND org_id = $1 ORDER BY position`,
      [world.orgId],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'user_migration.changed',
      'user_migration.activated',
      'user_migration.secret.changed',
      'user_migration.deactivated',
      'user_migration.removed',
    ]);
    expect(rows[1]?.fields).toEqual(expect.arrayContaining(['deadlineMs', 'expectedUsers', 'isActive']));
  });

  it('is changed only as it was read', async () => {
    const first = { 'if-match': '"0"' };
    expect((await owner.call('PUT', 'user_migration', body(), { headers: first })).statusCode).toBe(200);
    expect((await owner.call('PUT', 'user_migration', body(), { headers: first })).statusCode).toBe(412);
    const { userMigration } = (await owner.call('GET', 'user_migration')).json<Found>();
    const read = { 'if-match': `"${userMigration.details.sequence}"` };
    expect(
      (await owner.call('PUT', 'user_migration', body({ isActive: false }), { headers: read })).statusCode,
    ).toBe(200);
    expect((await owner.call('DELETE', 'user_migration', undefined, { headers: read })).statusCode).toBe(412);
    expect((await owner.call('DELETE', 'user_migration')).statusCode).toBe(200);
  });

  it.each([
    [{ url: 'http://old.example.com/' }, 'url must start with https://'],
    [{ url: 'https://127.0.0.1/' }, 'url must not be an internal address'],
    [{ url: 'https://user:pass@old.example.com/' }, 'url must not contain credentials'],
    [{ endsAt: new Date(Date.now() - HOUR).toISOString() }, 'endsAt must be in the future'],
    [{ endsAt: new Date(Date.now() + 400 * 24 * HOUR).toISOString() }, 'endsAt must be within 366 days'],
    [{ endsAt: undefined }, 'endsAt must be a date and time of RFC 3339, such as 2030-01-31T12:00:00Z'],
    [{ deadlineMs: 60_000 }, 'deadlineMs must be a whole number from 100 to 5000'],
    [{ requestsPerMinute: 0 }, 'requestsPerMinute must be a whole number from 1 to 60000'],
    [{ kind: 'telepathy' }, 'kind must be one of webhook'],
  ])('refuses %j', async (changes, message) => {
    const refused = await owner.call('PUT', 'user_migration', body(changes));
    expect(refused.statusCode).toBe(400);
    expect(refused.json<{ message: string }>().message).toContain(message);
  });

  it('is kept by owners, seen by those who may look, and is nobody else’s', async () => {
    expect((await manager.call('GET', 'user_migration')).statusCode).toBe(403);
    expect((await viewer.call('PUT', 'user_migration', body())).statusCode).toBe(403);
    expect((await viewer.call('DELETE', 'user_migration')).statusCode).toBe(403);
    const stranger = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    expect((await owner.call('PUT', 'user_migration', body())).statusCode).toBe(200);
    const theirs = (await stranger.call('GET', 'user_migration')).json<Found>();
    expect(theirs.userMigration['isActive']).toBe(false);
    const absent = await stranger.call('DELETE', 'user_migration');
    expect(absent.json()).toEqual(errorBody(5, 'The organization has no migration of users', 'MIG-Nf4tu'));
  });
});
