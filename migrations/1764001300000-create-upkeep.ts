import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What workers tell of themselves, the alarms that were raised in the instance, and how far upkeep has looked for rows that
 * nobody uses any more.
 */
export class CreateUpkeep1764001300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE heartbeats (
        queue text CONSTRAINT heartbeats_pkey PRIMARY KEY,
        consumed_at timestamptz NOT NULL,
        worker text NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE alarms (
        kind text CONSTRAINT alarms_pkey PRIMARY KEY,
        times bigint NOT NULL DEFAULT 1,
        raised_at timestamptz NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE upkeep_walks (
        kind text CONSTRAINT upkeep_walks_pkey PRIMARY KEY,
        walked_to timestamptz NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['upkeep_walks', 'alarms', 'heartbeats']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
