import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Old systems that organizations have their users come over from at the first sign-in, how far that is, and attempts at names
 * that nobody here has: they are counted as those at users are, before anybody else is asked about them.
 */
export class CreateUserMigrations1796420000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_migrations (
        org_id text NOT NULL,
        kind text NOT NULL,
        settings jsonb NOT NULL,
        is_active boolean NOT NULL,
        ends_at timestamptz NOT NULL,
        expected_users integer,
        requests_per_minute integer NOT NULL,
        deadline_ms integer NOT NULL,
        secret_sealed bytea,
        data_key_id integer,
        asked bigint NOT NULL DEFAULT 0,
        migrated bigint NOT NULL DEFAULT 0,
        refused bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_migrations_pkey PRIMARY KEY (org_id),
        CONSTRAINT user_migrations_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT user_migrations_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT user_migrations_kind CHECK (char_length(kind) BETWEEN 1 AND 40),
        CONSTRAINT user_migrations_settings CHECK (jsonb_typeof(settings) = 'object'),
        CONSTRAINT user_migrations_expected CHECK (expected_users >= 0),
        CONSTRAINT user_migrations_limits CHECK (requests_per_minute > 0 AND deadline_ms > 0),
        CONSTRAINT user_migrations_sealed CHECK ((secret_sealed IS NULL) = (data_key_id IS NULL))
      )
    `);
    // few at a time: sign-ins that would be refused ask for all that are on
    await runner.query(`CREATE INDEX user_migrations_active ON user_migrations (ends_at) WHERE is_active`);
    await runner.query(`
      CREATE TABLE name_attempts (
        place text NOT NULL,
        name_hash bytea NOT NULL,
        attempts integer NOT NULL,
        last_at timestamptz NOT NULL,
        CONSTRAINT name_attempts_pkey PRIMARY KEY (place, name_hash),
        CONSTRAINT name_attempts_count CHECK (attempts >= 0)
      )
    `);
    await runner.query(`CREATE INDEX name_attempts_age ON name_attempts (last_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE name_attempts`);
    await runner.query(`DROP TABLE user_migrations`);
  }
}
