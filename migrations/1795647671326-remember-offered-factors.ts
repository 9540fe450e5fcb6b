import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a second factor was first offered to somebody who needs one, and in which sessions they put it off. */
export class RememberOfferedFactors1795647671326 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD COLUMN factors_offered_at timestamptz');
    await runner.query('ALTER TABLE sessions ADD COLUMN factors_postponed boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN factors_postponed');
    await runner.query('ALTER TABLE users DROP COLUMN factors_offered_at');
  }
}
