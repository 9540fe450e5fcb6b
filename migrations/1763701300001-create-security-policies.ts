import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How an organization's passwords look, how guesses at them are slowed down, and how long its tokens live. A policy
 * that was reset keeps its row, which holds the defaults and counts on: `is_set` tells it from one that was set so.
 */
export class CreateSecurityPolicies1763701300001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE password_policies (
        org_id text CONSTRAINT password_policies_pkey PRIMARY KEY,
        min_length integer NOT NULL DEFAULT 8,
        has_lowercase boolean NOT NULL DEFAULT true,
        has_uppercase boolean NOT NULL DEFAULT true,
        has_number boolean NOT NULL DEFAULT true,
        has_symbol boolean NOT NULL DEFAULT true,
        is_set boolean NOT NULL DEFAULT true,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT password_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT password_policies_min_length CHECK (min_length BETWEEN 8 AND 72)
      )
    `);
    await runner.query(`
      CREATE TABLE lockout_policies (
        org_id text CONSTRAINT lockout_policies_pkey PRIMARY KEY,
        max_attempts integer NOT NULL DEFAULT 10,
        free_attempts integer NOT NULL DEFAULT 5,
        first_wait_seconds integer NOT NULL DEFAULT 2,
        lock_seconds integer NOT NULL DEFAULT 900,
        is_set boolean NOT NULL DEFAULT true,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT lockout_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT lockout_policies_max_attempts CHECK (max_attempts BETWEEN 1 AND 100),
        CONSTRAINT lockout_policies_free_attempts CHECK (free_attempts BETWEEN 1 AND max_attempts),
        CONSTRAINT lockout_policies_first_wait CHECK (first_wait_seconds BETWEEN 1 AND 60),
        CONSTRAINT lockout_policies_lock CHECK (lock_seconds BETWEEN 60 AND 43200)
      )
    `);
    await runner.query(`
      CREATE TABLE token_policies (
        org_id text CONSTRAINT token_policies_pkey PRIMARY KEY,
        access_token_seconds integer,
        id_token_seconds integer,
        refresh_idle_seconds integer,
        refresh_absolute_seconds integer,
        is_set boolean NOT NULL DEFAULT true,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT token_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT token_policies_access_token CHECK (access_token_seconds BETWEEN 60 AND 86400),
        CONSTRAINT token_policies_id_token CHECK (id_token_seconds BETWEEN 60 AND 86400),
        CONSTRAINT token_policies_refresh_idle CHECK (refresh_idle_seconds BETWEEN 300 AND 31536000),
        CONSTRAINT token_policies_refresh_absolute CHECK (refresh_absolute_seconds BETWEEN 300 AND 31536000)
      )
    `);
    await runner.query(`ALTER TABLE login_policies ADD COLUMN is_set boolean NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE login_policies DROP COLUMN is_set`);
    await runner.query(`DROP TABLE token_policies`);
    await runner.query(`DROP TABLE lockout_policies`);
    await runner.query(`DROP TABLE password_policies`);
  }
}
