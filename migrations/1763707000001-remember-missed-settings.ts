import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What requests asked of an application that its settings do not allow; its owners are told of it. */
export class RememberMissedSettings1763707000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications ADD COLUMN missed_settings text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN missed_settings`);
  }
}
