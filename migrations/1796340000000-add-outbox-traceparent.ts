import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which trace added a row (W3C Trace Context), so that what the worker does of it stands in the same one. */
export class AddOutboxTraceparent1796340000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox ADD COLUMN traceparent text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox DROP COLUMN traceparent`);
  }
}
