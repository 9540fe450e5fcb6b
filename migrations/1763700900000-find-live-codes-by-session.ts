import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Codes know their session, so that the few that still live are found without a look at every grant that the session
 * has had. No foreign key: a code goes with its grant, and nothing else is read by this column.
 */
export class FindLiveCodesBySession1763700900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE codes ADD COLUMN session_id text`);
    await runner.query(
      `CREATE INDEX codes_live_by_session ON codes (session_id, expires_at) WHERE used_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX codes_live_by_session`);
    await runner.query(`ALTER TABLE codes DROP COLUMN session_id`);
  }
}
