import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever takes the users of an import out again need not be who brought them in: the audit log names them. */
export class NameWhoUndoes1763702700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs ADD COLUMN undone_by text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN undone_by`);
  }
}
