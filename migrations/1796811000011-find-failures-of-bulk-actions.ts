import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For whom an action on many users failed is read a page at a time, without those for whom it was done. */
export class FindFailuresOfBulkActions1796811000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX bulk_action_users_failed ON bulk_action_users (bulk_action_id, user_id) WHERE outcome = 'failed'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX bulk_action_users_failed');
  }
}
