import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who made a credential of a service user: a user's id, empty for whoever runs the service (bootstrap), null where
 * nobody knows, which counts as the lowest rank. Of those that exist, events tell.
 */
export class RecordWhoMadeCredentials1763703200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE personal_access_tokens ADD COLUMN made_by text`);
    await runner.query(`ALTER TABLE machine_keys ADD COLUMN made_by text`);
    await runner.query(`ALTER TABLE user_machines ADD COLUMN secret_made_by text`);
    for (const [table, type, event] of [
      ['personal_access_tokens', 'personal_access_token', 'user.personal_access_token.added'],
      ['machine_keys', 'machine_key', 'user.machine.key.added'],
    ] as const) {
      await runner.query(`
        UPDATE ${table} t SET made_by = coalesce(e.actor_id, '') FROM events e
        WHERE e.aggregate_type = '${type}' AND e.aggregate_id = t.id AND e.type = '${event}'
      `);
    }
    await runner.query(`
      UPDATE user_machines m SET secret_made_by = (
        SELECT coalesce(e.actor_id, '') FROM events e
        WHERE e.aggregate_type = 'user' AND e.aggregate_id = m.user_id
          AND e.type IN ('user.machine.secret.set', 'user.machine.imported')
        ORDER BY e.sequence DESC LIMIT 1)
      WHERE m.secret_hash IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_machines DROP COLUMN secret_made_by`);
    await runner.query(`ALTER TABLE machine_keys DROP COLUMN made_by`);
    await runner.query(`ALTER TABLE personal_access_tokens DROP COLUMN made_by`);
  }
}
