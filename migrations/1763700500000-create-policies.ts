import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an organization decides about its pages and its sign-in. Without a row the built-in defaults hold. */
export class CreatePolicies1763700500000 implements MigrationInterface {
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
        allow_register boolean NOT NULL DEFAULT true,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT login_policies_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE login_policies`);
    await runner.query(`DROP TABLE branding_policies`);
  }
}
