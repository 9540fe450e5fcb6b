import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys that imports bring in, and how many of each kind of factor came with a file. */
export class ImportPasskeys1795720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE passkeys ADD COLUMN imported_at timestamptz`);
    await runner.query(`
      ALTER TABLE import_chunks ADD COLUMN recovery_codes integer NOT NULL DEFAULT 0,
        ADD COLUMN code_factors integer NOT NULL DEFAULT 0,
        ADD COLUMN passkeys integer NOT NULL DEFAULT 0,
        ADD COLUMN foreign_passkeys integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE import_chunks DROP COLUMN recovery_codes, DROP COLUMN code_factors, DROP COLUMN passkeys,
        DROP COLUMN foreign_passkeys`);
    await runner.query(`ALTER TABLE passkeys DROP COLUMN imported_at`);
  }
}
