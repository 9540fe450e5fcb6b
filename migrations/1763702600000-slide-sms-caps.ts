import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Caps on SMS hold over any stretch of time, not only between the ends of windows: what is counted is kept in parts. A
 * row of before reads as one part, which ends when its window would have.
 */
export class SlideSmsCaps1763702600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sms_quotas ADD COLUMN earlier bigint[] NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE sms_quotas ADD COLUMN quiet_until timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sms_quotas DROP COLUMN quiet_until`);
    await runner.query(`ALTER TABLE sms_quotas DROP COLUMN earlier`);
  }
}
