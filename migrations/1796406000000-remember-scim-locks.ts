import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whom an administrator had locked before a directory made them inactive: they are locked again when it lets them in. */
export class RememberScimLocks1796406000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE provisioned_users ADD COLUMN was_locked boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE provisioned_users DROP COLUMN was_locked`);
  }
}
