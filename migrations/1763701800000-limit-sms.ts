import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts, and blocks of numbers, that keep SMS from being pumped at our cost; and codes that a provider makes, of which
 * nothing is known here. SMS that waited for a provider carry codes that are long over.
 */
export class LimitSms1763701800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sms_quotas (
        id text CONSTRAINT sms_quotas_pkey PRIMARY KEY,
        used bigint NOT NULL DEFAULT 0,
        ends_at timestamptz NOT NULL,
        CONSTRAINT sms_quotas_used CHECK (used >= 0)
      )
    `);
    await runner.query(`CREATE INDEX sms_quotas_by_end ON sms_quotas (ends_at)`);
    await runner.query(`
      CREATE TABLE sms_sends (
        code_id text CONSTRAINT sms_sends_pkey PRIMARY KEY,
        prefix text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        verified_at timestamptz
      )
    `);
    await runner.query(`CREATE INDEX sms_sends_by_prefix ON sms_sends (prefix, created_at)`);
    await runner.query(`CREATE INDEX sms_sends_by_time ON sms_sends (created_at)`);
    await runner.query(`
      CREATE TABLE sms_blocks (
        prefix text CONSTRAINT sms_blocks_pkey PRIMARY KEY,
        reason text NOT NULL,
        blocked_until timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
    await runner.query(`CREATE INDEX sms_blocks_by_end ON sms_blocks (blocked_until)`);
    await runner.query(`
      ALTER TABLE verification_codes
        ALTER COLUMN code_hash DROP NOT NULL,
        ADD COLUMN provider_id text,
        ADD CONSTRAINT verification_codes_maker CHECK ((code_hash IS NULL) = (provider_id IS NOT NULL))
    `);
    await runner.query(`
      UPDATE notifications SET state = 'abandoned', last_error = 'code_expired', finished_at = app_now(),
        content_sealed = NULL, data_key_id = NULL
      WHERE state = 'waiting'
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM verification_codes WHERE code_hash IS NULL`);
    await runner.query(`
      ALTER TABLE verification_codes
        DROP CONSTRAINT verification_codes_maker, DROP COLUMN provider_id, ALTER COLUMN code_hash SET NOT NULL
    `);
    await runner.query(`DROP TABLE sms_blocks`);
    await runner.query(`DROP TABLE sms_sends`);
    await runner.query(`DROP TABLE sms_quotas`);
  }
}
