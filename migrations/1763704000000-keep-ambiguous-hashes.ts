import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A hash that opens for more than one password is not replaced by what was typed: since when that is known, for
 * operators, until the password changes.
 */
export class KeepAmbiguousHashes1763704000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_passwords ADD COLUMN rehash_withheld_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_passwords DROP COLUMN rehash_withheld_at`);
  }
}
