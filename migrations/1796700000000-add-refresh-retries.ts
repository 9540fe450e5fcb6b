import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refresh tokens remember that a retry got them, and are not taken back then. The release before takes back none that are used. */
export class AddRefreshRetries1796700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE refresh_tokens ADD COLUMN retried_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE refresh_tokens DROP COLUMN retried_at`);
  }
}
