import type { MigrationInterface, QueryRunner } from 'typeorm';

const DECISIONS = (table: string): string => `
  second_factor text NOT NULL DEFAULT 'required',
  required_for text NOT NULL DEFAULT 'owners',
  kinds text[] NOT NULL DEFAULT '{passkey,totp,email,sms}',
  trusted_browser_days integer NOT NULL DEFAULT 0,
  passkey_counter text NOT NULL DEFAULT 'event',
  step_up text NOT NULL DEFAULT 'off',
  step_up_max_age_seconds integer NOT NULL DEFAULT 3600,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT app_now(),
  changed_at timestamptz NOT NULL DEFAULT app_now(),
  CONSTRAINT ${table}_second_factor CHECK (second_factor IN ('off', 'offered', 'required')),
  CONSTRAINT ${table}_required_for CHECK (required_for IN ('all', 'owners')),
  CONSTRAINT ${table}_kinds
    CHECK (cardinality(kinds) BETWEEN 1 AND 4 AND kinds <@ ARRAY['passkey', 'totp', 'email', 'sms']),
  CONSTRAINT ${table}_trusted_browser_days CHECK (trusted_browser_days BETWEEN 0 AND 90),
  CONSTRAINT ${table}_passkey_counter CHECK (passkey_counter IN ('event', 'refuse')),
  CONSTRAINT ${table}_step_up CHECK (step_up IN ('off', 'mfa', 'phr')),
  CONSTRAINT ${table}_step_up_max_age CHECK (step_up_max_age_seconds BETWEEN 60 AND 86400)`;

/** What an organization, or the instance, asks of people beside a password. Without a row the built-in defaults hold. */
export class CreateFactorPolicies1795619377966 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE factor_policies (
        org_id text CONSTRAINT factor_policies_pkey PRIMARY KEY,
        is_set boolean NOT NULL DEFAULT true,
        ${DECISIONS('factor_policies')},
        CONSTRAINT factor_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
      )
    `);
    await runner.query(`
      CREATE TABLE factor_settings (
        id boolean NOT NULL DEFAULT true CONSTRAINT factor_settings_pkey PRIMARY KEY,
        ${DECISIONS('factor_settings')},
        CONSTRAINT factor_settings_one_row CHECK (id)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE factor_settings');
    await runner.query('DROP TABLE factor_policies');
  }
}
