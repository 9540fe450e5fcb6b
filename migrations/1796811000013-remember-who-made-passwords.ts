import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who set a password, and when a service user's secret was made, was known from `events` alone, which end after `EVENT_RETENTION`. The
 * next migration fills the columns: this one keeps everybody from signing in while it runs, and must be over at once.
 */
export class RememberWhoMadePasswords1796811000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_passwords ADD COLUMN made_by text DEFAULT ''`);
    await runner.query(`ALTER TABLE service_users ADD COLUMN secret_made_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE service_users DROP COLUMN secret_made_at`);
    await runner.query(`ALTER TABLE user_passwords DROP COLUMN made_by`);
  }
}
