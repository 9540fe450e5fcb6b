// SQL by hand: a trigger refuses what a lock that is held too long refuses
import { expect, it } from 'vitest';
import type { BulkActionId } from '../../../src/domain/shared/ids.js';
import { bulkWorker } from '../../support/bulk-worker.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const worker = given(() => bulkWorker(api));

it.each([
  ['a lock', '55P03'],
  ['a statement that takes too long', '57014'],
  ['a deadlock', '40P01'],
])('F12: an action on many users leaves nobody out for %s', async (_, code) => {
  const userIds = [(await aUser(world)).userId, (await aUser(world)).userId];
  const begun = await owner.call('POST', 'users/_bulk', { action: 'lock', userIds });
  const { id } = begun.json<{ id: BulkActionId }>();
  const found = await api.sql.query<{ id: string }>(
    `SELECT id::text FROM outbox WHERE job_name = 'run-bulk-action' AND payload ->> 'bulkActionId' = $1`,
    [id],
  );
  const step = async () => await worker.step(id, found.rows[0]?.id ?? '');
  await api.sql.query(`
    CREATE FUNCTION kept_waiting() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'kept waiting' USING ERRCODE = '${code}'; END $$`);
  await api.sql.query(`
    CREATE TRIGGER kept_waiting BEFORE UPDATE ON users FOR EACH ROW WHEN (NEW.id = '${userIds[1]}')
    EXECUTE FUNCTION kept_waiting()`);
  await expect(step()).rejects.toMatchObject({ kind: 'unavailable' });
  await api.sql.query('DROP FUNCTION kept_waiting CASCADE');
  expect(await step()).toMatch(/over$/);
  const told = await owner.call('GET', `users/_bulk/${id}`);
  expect(told.json()).toMatchObject({ bulkAction: { state: 'done', counts: { done: 2, failed: 0 } } });
});
