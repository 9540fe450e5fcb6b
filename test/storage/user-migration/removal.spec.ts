// SQL by hand: what other transactions hold at the moment in which a migration is removed
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork, type Tx } from '../../../src/domain/shared/unit-of-work.js';
import { UserMigrationsStore } from '../../../src/domain/user-migration/user-migrations.store.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const migrations = given(() => api.app.get(UserMigrationsStore, { strict: false }));
const unitOfWork = given(() => api.app.get(UnitOfWork, { strict: false }));

let entry: Buffer;
let userId: UserId;

beforeEach(async () => {
  entry = randomBytes(32);
  userId = (await aUser(world)).userId;
  await api.sql.query(
    `INSERT INTO user_migrations (org_id, kind, settings, is_active, ends_at, requests_per_minute, deadline_ms)
     VALUES ($1, 'ldap', '{}', true, now() + interval '1 day', 1, 1)`,
    [world.orgId],
  );
});

async function left(): Promise<number | null> {
  return (await api.sql.query('SELECT FROM user_migration_entries WHERE entry_hash = $1', [entry])).rowCount;
}

/** In one transaction: `before`, then the removal begins in another and waits for it, then `after`. */
async function whileRemoved(before: (tx: Tx) => Promise<unknown>, after: (tx: Tx) => Promise<unknown>) {
  const { removing } = await unitOfWork.run(async (tx) => {
    await before(tx);
    const removed = unitOfWork.run(async (other) => await migrations.remove(other, world.orgId));
    // looked at below
    removed.catch(() => undefined);
    const waiting =
      'SELECT FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0 AND datname = current_database()';
    await expect.poll(async () => (await api.sql.query(waiting)).rowCount).toBe(1);
    await after(tx);
    // in an object: a promise would be waited for
    return { removing: removed };
  });
  return await removing;
}

describe('a migration that is removed', () => {
  it('takes the entry along by which somebody is just coming over', async () => {
    const removed = await whileRemoved(
      async (tx) => {
        await migrations.rememberNames(tx, world.orgId, ['ada']);
        expect(await migrations.claimEntry(tx, world.orgId, userId, entry)).toBe(true);
      },
      async (tx) => {
        await migrations.count(world.orgId, 'migrated', tx);
      },
    );
    expect(removed).toBeDefined();
    expect(await left()).toBe(0);
  });

  it('waits for whoever is just deleting somebody who came over, and they do not wait for it', async () => {
    await unitOfWork.run(async (tx) => {
      await migrations.claimEntry(tx, world.orgId, userId, entry);
    });
    const removed = await whileRemoved(
      async (tx) => {
        await migrations.rememberNames(tx, world.orgId, ['ada']);
      },
      async (tx) => {
        const statement = {
          name: 'test-erase',
          text: 'DELETE FROM user_migration_entries WHERE user_id = $1',
        };
        expect(await api.app.get(Sql, { strict: false }).change(statement, [userId], tx)).toBe(1);
      },
    );
    expect(removed).toBeDefined();
    expect(await left()).toBe(0);
  });
});
