import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a percentage of an upload is made of, as it stands on the wire: how many bytes its sender announced, null where
 * they did not, and how many came so far. The index finds the imports that are being undone or send their messages;
 * those that have not ended are found by `import_jobs_unfinished`.
 */
export class WatchImports1763709000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs ADD COLUMN bytes_expected bigint`);
    await runner.query(`ALTER TABLE import_jobs ADD COLUMN bytes_arrived bigint NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE INDEX import_jobs_aftercare ON import_jobs (id)
      WHERE undo_state = 'running' OR notify_state = 'running'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX import_jobs_aftercare`);
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN bytes_arrived`);
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN bytes_expected`);
  }
}
