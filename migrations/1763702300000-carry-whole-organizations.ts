import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whole organizations are chunks of an import like its users are, taken up one pass after the other. An upload holds a
 * lease, so that one whose process died is found within a minute; and an import knows the personal access token that
 * it was asked for with, whose end is its own.
 */
export class CarryWholeOrganizations1763702300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs ADD COLUMN reading_until timestamptz`);
    await runner.query(`ALTER TABLE import_jobs ADD COLUMN token_id text`);
    await runner.query(`ALTER TABLE import_chunks ADD COLUMN pass integer NOT NULL DEFAULT 50`);
    await runner.query(`DROP INDEX import_chunks_unfinished`);
    await runner.query(`
      CREATE INDEX import_chunks_unfinished ON import_chunks (org_id, state, job_id, pass, number)
      WHERE state IN ('pending', 'queued', 'running')
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX import_chunks_unfinished`);
    await runner.query(`
      CREATE INDEX import_chunks_unfinished ON import_chunks (org_id, state, job_id, number)
      WHERE state IN ('pending', 'queued', 'running')
    `);
    await runner.query(`ALTER TABLE import_chunks DROP COLUMN pass`);
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN token_id`);
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN reading_until`);
  }
}
