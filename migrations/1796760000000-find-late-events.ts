import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks find events that were written after the database's clock had gone back. What is there already was passed, or is left out.
 * Webhooks of the release before have no greatest position, and workers of it do not raise it: such events are lost for as long.
 */
export class FindLateEvents1796760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks
        ADD COLUMN cursor_highest bigint,
        ADD COLUMN reread_until timestamptz,
        ADD COLUMN reread_above bigint,
        ADD CONSTRAINT webhooks_reread CHECK ((reread_until IS NULL) = (reread_above IS NULL))`);
    await runner.query(`UPDATE webhooks SET cursor_highest = (SELECT last_value FROM events_position_seq)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks DROP COLUMN cursor_highest, DROP COLUMN reread_until, DROP COLUMN reread_above`);
  }
}
