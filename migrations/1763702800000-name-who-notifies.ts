import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever has the messages of an import sent need not be who made it: it is their permission that counts. */
export class NameWhoNotifies1763702800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs ADD COLUMN notified_by text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN notified_by`);
  }
}
