import type { QueryRunner } from 'typeorm';
import { expect, it } from 'vitest';
import { RememberWhoMadePasswords1796811000013 } from '../../../migrations/1796811000013-remember-who-made-passwords.js';
import { FindWhoMadePasswords1796811000014 } from '../../../migrations/1796811000014-find-who-made-passwords.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();

/** The log of a user, the latest event last. */
async function happened(
  userId: string,
  ...events: readonly [type: string, actorId: string | null, fields?: string][]
) {
  for (const [index, [type, actorId, fields]] of events.entries()) {
    await api.sql.query(
      `INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, actor_id, fields)
       VALUES ($1, 'user', $2, $3, $4, $5, $6)`,
      [world.orgId, userId, index + 2, type, actorId, `{${fields ?? ''}}`],
    );
  }
}

it('are those of the log when an older database is migrated, or nobody', async () => {
  const add = async (): Promise<string> => (await aUser(world)).userId;
  const [set, own, imported] = [await add(), await add(), await add()];
  const [migrated, forgotten, operator] = [await add(), await add(), await add()];
  const users = [set, own, imported, migrated, forgotten, operator];
  await happened(set, ['user.human.password.changed', set], ['user.human.password.set', 'manager']);
  await happened(own, ['user.human.password.set', 'manager'], ['user.human.password.reset', own]);
  await happened(
    imported,
    ['user.human.imported', 'importer', 'password'],
    ['user.human.changed', 'other', 'email'],
  );
  await happened(migrated, ['user.human.migrated', migrated, 'password']);
  await happened(forgotten, ['user.human.changed', 'other', 'email']);
  await happened(operator, ['user.human.password.set', null]);
  const runner = { query: async (text: string) => await api.sql.query(text) } as unknown as QueryRunner;
  const migration = new RememberWhoMadePasswords1796811000013();
  await migration.down(runner);
  await migration.up(runner);
  await new FindWhoMadePasswords1796811000014().up(runner);
  const { rows } = await api.sql.query<{ user_id: string; made_by: string | null }>(
    'SELECT user_id, made_by FROM user_passwords WHERE user_id = ANY ($1)',
    [users],
  );
  expect(new Map(rows.map((row) => [row.user_id, row.made_by]))).toEqual(
    new Map([
      [set, 'manager'],
      [own, null],
      [imported, 'importer'],
      [migrated, '@organization'],
      [forgotten, ''],
      [operator, null],
    ]),
  );
});
