import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was shown in a session, and when. A process of before writes none of it: there `amr` says that it was a password, at
 * `auth_time`.
 */
export class AddProofsToSessions1795619280034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions
        ADD COLUMN proofs jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN second_factor_at timestamptz,
        ADD COLUMN browser_trusted boolean NOT NULL DEFAULT false
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE sessions DROP COLUMN proofs, DROP COLUMN second_factor_at, DROP COLUMN browser_trusted',
    );
  }
}
