import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A key that an emergency put in place says so: the next emergency of its chain has to wait a minute. */
export class MarkEmergencyKeys1763703900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['signing_keys', 'token_keys']) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN by_emergency boolean NOT NULL DEFAULT false`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['token_keys', 'signing_keys']) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN by_emergency`);
    }
  }
}
