import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which worker processes are alive. In PostgreSQL, so that it is known while Redis is away, and where there is none. */
export class CreateWorkers1796000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workers (
        id text NOT NULL,
        host text NOT NULL,
        version text NOT NULL,
        queues text[] NOT NULL,
        started_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        CONSTRAINT workers_pkey PRIMARY KEY (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE workers`);
  }
}
