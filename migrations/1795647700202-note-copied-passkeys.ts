import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A passkey whose counter went back may have a copy, and that stays so whatever it counts afterwards. */
export class NoteCopiedPasskeys1795647700202 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE passkeys ADD COLUMN counter_went_back_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE passkeys DROP COLUMN counter_went_back_at`);
  }
}
