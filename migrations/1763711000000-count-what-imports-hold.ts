import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An import tells how many TOTP secrets it kept, and how many messages wait to be asked for. */
export class CountWhatImportsHold1763711000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE import_chunks
        ADD COLUMN totp_secrets integer NOT NULL DEFAULT 0,
        ADD COLUMN held integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE import_chunks DROP COLUMN held, DROP COLUMN totp_secrets');
  }
}
