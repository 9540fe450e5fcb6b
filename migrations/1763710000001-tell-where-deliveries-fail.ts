import type { MigrationInterface, QueryRunner } from 'typeorm';

/** With whom the last failed attempt at a message failed, and what the connection met: host, port, cause. */
export class TellWhereDeliveriesFail1763710000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE notifications ADD COLUMN last_failure jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE notifications DROP COLUMN last_failure`);
  }
}
