import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who set a password, and when a service user's secret was made, was known from `events` alone, which end after `EVENT_RETENTION`. A
 * password of which they say nothing any more is nobody's: it ends when its user rises.
 */
export class RememberWhoMadePasswords1796811000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_passwords ADD COLUMN made_by text DEFAULT ''`);
    await runner.query(`ALTER TABLE service_users ADD COLUMN secret_made_at timestamptz`);
    await runner.query(`
      UPDATE user_passwords p SET made_by = CASE
          WHEN last.type = 'user.human.migrated' THEN '@organization'
          WHEN last.type IN ('user.human.password.set', 'user.human.added', 'user.human.imported', 'user.human.changed')
            AND last.actor_id <> p.user_id THEN last.actor_id
        END
      FROM (
        SELECT DISTINCT ON (aggregate_id) aggregate_id, type, actor_id FROM events
        WHERE aggregate_type = 'user'
          AND (type IN ('user.human.password.set', 'user.human.password.changed', 'user.human.password.reset',
                        'user.human.initialised', 'user.human.registered', 'user.human.migrated')
               -- adding or importing a user can set a password
               OR type IN ('user.human.added', 'user.human.imported', 'user.human.changed') AND 'password' = ANY (fields))
        ORDER BY aggregate_id, sequence DESC, position DESC
      ) AS last
      WHERE last.aggregate_id = p.user_id`);
    // one that was added with its user is as old as the user
    await runner.query(`
      UPDATE service_users s SET secret_made_at = coalesce((
          SELECT max(e.created_at) FROM events e
          WHERE e.aggregate_type = 'user' AND e.aggregate_id = s.user_id AND e.type = 'user.machine.secret.set'
        ), u.created_at)
      FROM users u WHERE u.id = s.user_id AND s.secret_hash IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE service_users DROP COLUMN secret_made_at`);
    await runner.query(`ALTER TABLE user_passwords DROP COLUMN made_by`);
  }
}
