import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an organization decides about its pages, its sign-in, its passwords and its tokens, and what the instance decides.
 * Without a row the built-in defaults hold. A policy that was reset keeps its row, which holds the defaults and counts on:
 * `is_set` tells it from one that was set so.
 */
export class CreatePoliciesAndSettings1764000700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE branding_policies (
        org_id text CONSTRAINT branding_policies_pkey PRIMARY KEY,
        display_name text,
        accent_color text,
        logo bytea,
        logo_name text,
        default_language text,
        help_url text,
        privacy_url text,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT branding_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT branding_policies_display_name CHECK (char_length(display_name) BETWEEN 1 AND 200),
        CONSTRAINT branding_policies_accent_color CHECK (accent_color ~ '^#[0-9a-f]{6}$'),
        CONSTRAINT branding_policies_logo CHECK (octet_length(logo) BETWEEN 1 AND 131072),
        CONSTRAINT branding_policies_logo_named CHECK ((logo IS NULL) = (logo_name IS NULL)),
        CONSTRAINT branding_policies_logo_name CHECK (logo_name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'),
        CONSTRAINT branding_policies_default_language CHECK (default_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
        CONSTRAINT branding_policies_help_url CHECK (help_url ~ '^https://' AND char_length(help_url) <= 2048),
        CONSTRAINT branding_policies_privacy_url CHECK (privacy_url ~ '^https://' AND char_length(privacy_url) <= 2048)
      )
    `);
    // browsers ask for a logo by its name alone; organizations may well have the same one
    await runner.query(`CREATE INDEX branding_policies_by_logo ON branding_policies (logo_name)`);
    await runner.query(`
      CREATE TABLE login_policies (
        org_id text CONSTRAINT login_policies_pkey PRIMARY KEY,
        allow_register boolean NOT NULL DEFAULT false,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        is_set boolean NOT NULL DEFAULT true,
        CONSTRAINT login_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
      )
    `);
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
    // whether anybody may impersonate
    await runner.query(`
      CREATE TABLE security_settings (
        id boolean NOT NULL DEFAULT true CONSTRAINT security_settings_pkey PRIMARY KEY,
        enable_impersonation boolean NOT NULL DEFAULT false,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT security_settings_one_row CHECK (id)
      )
    `);
    // null stands for what the environment says
    await runner.query(`
      CREATE TABLE oidc_settings (
        id boolean NOT NULL DEFAULT true,
        access_token_seconds integer,
        id_token_seconds integer,
        refresh_idle_seconds integer,
        refresh_absolute_seconds integer,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT oidc_settings_pkey PRIMARY KEY (id),
        CONSTRAINT oidc_settings_one_row CHECK (id),
        CONSTRAINT oidc_settings_access_token CHECK (access_token_seconds BETWEEN 60 AND 2592000),
        CONSTRAINT oidc_settings_id_token CHECK (id_token_seconds BETWEEN 60 AND 2592000),
        CONSTRAINT oidc_settings_refresh_idle CHECK (refresh_idle_seconds BETWEEN 300 AND 31536000),
        CONSTRAINT oidc_settings_refresh_absolute CHECK (refresh_absolute_seconds BETWEEN 300 AND 31536000)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'oidc_settings',
      'security_settings',
      'token_policies',
      'lockout_policies',
      'password_policies',
      'login_policies',
      'branding_policies',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
