import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * As the events say. A password of which they say nothing any more is nobody's: it ends when its user rises. Only rows are locked, not
 * the tables: people go on signing in.
 */
export class FindWhoMadePasswords1796811000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
      WHERE last.aggregate_id = p.user_id AND p.made_by = ''`);
    // one that was added with its user is as old as the user
    await runner.query(`
      UPDATE service_users s SET secret_made_at = coalesce((
          SELECT max(e.created_at) FROM events e
          WHERE e.aggregate_type = 'user' AND e.aggregate_id = s.user_id AND e.type = 'user.machine.secret.set'
        ), u.created_at)
      FROM users u WHERE u.id = s.user_id AND s.secret_hash IS NOT NULL AND s.secret_made_at IS NULL`);
  }

  async down(): Promise<void> {
    // the columns go with the migration before
  }
}
