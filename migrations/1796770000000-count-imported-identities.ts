import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many identities at providers came with a file, and what became of them. */
export class CountImportedIdentities1796770000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE import_chunks ADD COLUMN identities integer NOT NULL DEFAULT 0,
        ADD COLUMN known_identities integer NOT NULL DEFAULT 0,
        ADD COLUMN refused_identities integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE import_chunks DROP COLUMN identities, DROP COLUMN known_identities,
        DROP COLUMN refused_identities`);
  }
}
