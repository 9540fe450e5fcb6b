import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What happened by the hour, for charts. The sums of the instance are rows of their own: they include what belongs to no
 * organization, and outlive those that are removed.
 */
export class CreateCounts1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organization_counts (
        org_id text NOT NULL,
        hour timestamptz NOT NULL,
        counted text NOT NULL,
        count bigint NOT NULL,
        CONSTRAINT organization_counts_pkey PRIMARY KEY (org_id, hour, counted),
        CONSTRAINT organization_counts_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT organization_counts_positive CHECK (count > 0)
      )`);
    // a few rows of an organization are added to every ten seconds of an hour, and never again
    await runner.query(`ALTER TABLE organization_counts SET (fillfactor = 80)`);
    await runner.query(`CREATE INDEX organization_counts_by_hour ON organization_counts (hour)`);
    await runner.query(`
      CREATE TABLE instance_counts (
        hour timestamptz NOT NULL,
        counted text NOT NULL,
        count bigint NOT NULL,
        CONSTRAINT instance_counts_pkey PRIMARY KEY (hour, counted),
        CONSTRAINT instance_counts_positive CHECK (count > 0)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE instance_counts`);
    await runner.query(`DROP TABLE organization_counts`);
  }
}
