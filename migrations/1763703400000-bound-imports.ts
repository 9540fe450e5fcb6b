import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many bytes an import takes, so that those of an organization, and all together, have a bound. */
export class BoundImports1763703400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE import_jobs
        ADD COLUMN bytes_stored bigint NOT NULL DEFAULT 0,
        ADD COLUMN bytes_held bigint NOT NULL DEFAULT 0
    `);
    await runner.query(`
      UPDATE import_jobs j SET bytes_held = c.bytes, bytes_stored = c.stored
      FROM (
        SELECT job_id, coalesce(sum(octet_length(payload)), 0) AS stored,
          coalesce(sum(coalesce(octet_length(payload), 0) + coalesce(octet_length(results), 0)
                       + coalesce(octet_length(failed_payload), 0)), 0) AS bytes
        FROM import_chunks GROUP BY job_id) AS c
      WHERE c.job_id = j.id
    `);
    await runner.query(
      `CREATE INDEX import_jobs_held ON import_jobs (org_id, bytes_held) WHERE bytes_held > 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE import_jobs DROP COLUMN bytes_held, DROP COLUMN bytes_stored`);
  }
}
