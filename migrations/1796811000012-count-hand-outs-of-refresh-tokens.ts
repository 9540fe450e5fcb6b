import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A refresh token counts the requests that have it, so that the last one of them that fails takes the rotation back. The release
 * before notes in `retried_at` that there are several, and takes nothing back then.
 */
export class CountHandOutsOfRefreshTokens1796811000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE refresh_tokens ADD COLUMN hand_outs smallint NOT NULL DEFAULT 1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE refresh_tokens DROP COLUMN hand_outs`);
  }
}
