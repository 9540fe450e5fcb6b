// SQL by hand: who of two that wait for each other is ended
import { expect, it } from 'vitest';
import { ServiceUserKeys } from '../../../src/domain/service-users/service-user-keys.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { Sql } from '../../../src/storage/postgres/sql.js';
import { aReplica } from '../../support/api.js';
import { aRobot, aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// An import of keys holds the lock of ids (S199) from its first key on and then wants one user's row after the other; a
// call for one of these users has the row and waits for the lock.

const { api, world } = useWorld();

async function waitsForIds(): Promise<boolean> {
  const { rows } = await api.sql.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 1763704000 AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.length > 0;
}

/**
 * PostgreSQL looks once for a deadlock, so long after somebody has begun to wait, and ends whoever looked. Here that is the call: it
 * begins to wait first, looks when the import has waited for long, and the import itself never looks.
 */
async function letTheCallLook(): Promise<void> {
  const { rows } = await api.sql.query<{ name: string }>('SELECT current_database() AS name');
  await api.sql.query(`ALTER DATABASE ${rows[0]?.name} SET deadlock_timeout = '5s'`);
  await api.sql.query(`
    CREATE FUNCTION look_never() RETURNS text LANGUAGE sql SECURITY DEFINER
    AS $$ SELECT set_config('deadlock_timeout', '10min', true) $$`);
}

it('answers 503 to a call that PostgreSQL ends for another one, and nothing of it happened', async () => {
  const { orgId } = world;
  const owner = await aServiceUser(world, 'ORG_OWNER');
  const [one, other] = [await aRobot(world), await aRobot(world)];
  const keys = api.app.get(ServiceUserKeys);
  const [of, ofOther] = [one, other].map(({ userId }) => ({ orgId, userId, actorId: null }));
  if (of === undefined || ofOther === undefined) throw new Error('there are two');
  const [prepared, second] = [
    await keys.prepare(of, undefined, undefined),
    await keys.prepare(ofOther, undefined, undefined),
  ];

  await letTheCallLook();
  const on = await aReplica(api);
  const called = await api.app.get(UnitOfWork).run(async (tx) => {
    await api.app
      .get(Sql, { strict: false })
      .rows({ name: 'test-look-never', text: 'SELECT look_never()' }, [], tx);
    await keys.store(tx, of, prepared);
    const response = owner.call('POST', `users/${other.userId}/keys`, {}, { on });
    await expect.poll(waitsForIds, { interval: 20 }).toBe(true);
    await keys.store(tx, ofOther, second);
    return await response;
  });

  expect(called.statusCode, called.body).toBe(503);
  expect(called.headers['retry-after']).toBe('1');
  const { rows } = await api.sql.query('SELECT id FROM service_user_keys WHERE user_id = $1', [other.userId]);
  expect(rows).toHaveLength(2);
});
