import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The token that an action on many users stands on; of those under way nobody knows it. The release before keeps none. */
export class AddTokenOfBulkActions1796784000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE bulk_actions ADD COLUMN token_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE bulk_actions DROP COLUMN token_id`);
  }
}
