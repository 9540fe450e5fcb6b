import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * TOTP secrets are asked for: `last_step` is the newest time step whose code was used, and no code of it or of an older one is
 * good any more (RFC 6238 §5.2). Recovery codes stand in for a lost factor, each once; their hashes are ours, or as another
 * product made them.
 */
export class AddTotpStepsAndRecoveryCodes1795620529026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_totp_secrets ADD COLUMN last_step bigint`);
    await runner.query(`
      CREATE TABLE user_recovery_codes (
        user_id text NOT NULL,
        hash text NOT NULL,
        org_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        used_at timestamptz,
        CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, hash),
        CONSTRAINT user_recovery_codes_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_recovery_codes_hash CHECK (char_length(hash) BETWEEN 1 AND 500)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE user_recovery_codes`);
    await runner.query(`ALTER TABLE user_totp_secrets DROP COLUMN last_step`);
  }
}
