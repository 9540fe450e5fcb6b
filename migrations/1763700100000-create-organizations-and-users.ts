import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations with their domains, the instance row, users of both kinds, names they sign in with, roles. */
export class CreateOrganizationsAndUsers1763700100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        id text NOT NULL DEFAULT new_id() CONSTRAINT organizations_pkey PRIMARY KEY,
        name text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT organizations_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT organizations_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT organizations_id CHECK (octet_length(id) BETWEEN 1 AND 200 AND id !~ '[^!-~]')
      )
    `);
    await runner.query(`
      CREATE TABLE organization_domains (
        org_id text NOT NULL,
        domain text NOT NULL,
        is_verified boolean NOT NULL DEFAULT false,
        is_primary boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT organization_domains_pkey PRIMARY KEY (org_id, domain),
        CONSTRAINT organization_domains_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT organization_domains_domain CHECK (domain = lower(domain) AND char_length(domain) BETWEEN 1 AND 253),
        CONSTRAINT organization_domains_primary CHECK (is_verified OR NOT is_primary)
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX organization_domains_verified ON organization_domains (domain) WHERE is_verified`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX organization_domains_one_primary ON organization_domains (org_id) WHERE is_primary`,
    );
    await runner.query(`
      CREATE TABLE users (
        id text NOT NULL DEFAULT new_id() CONSTRAINT users_pkey PRIMARY KEY,
        org_id text NOT NULL,
        kind text NOT NULL,
        user_name text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        token_epoch integer NOT NULL DEFAULT 0,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT users_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        CONSTRAINT users_in_org UNIQUE (org_id, id),
        CONSTRAINT users_kind CHECK (kind IN ('human', 'machine')),
        CONSTRAINT users_state CHECK (state IN ('initial', 'active', 'inactive', 'locked')),
        CONSTRAINT users_id CHECK (octet_length(id) BETWEEN 1 AND 200 AND id !~ '[^!-~]'),
        CONSTRAINT users_user_name CHECK (char_length(user_name) BETWEEN 1 AND 200)
      )
    `);
    await runner.query(`
      CREATE TABLE user_humans (
        user_id text CONSTRAINT user_humans_pkey PRIMARY KEY,
        org_id text NOT NULL,
        first_name text NOT NULL,
        last_name text NOT NULL,
        middle_name text,
        nick_name text,
        display_name text NOT NULL,
        preferred_language text,
        gender text,
        profile_url text,
        picture_url text,
        website_url text,
        birthdate text,
        zoneinfo text,
        email text NOT NULL,
        email_verified boolean NOT NULL DEFAULT false,
        phone text,
        phone_verified boolean NOT NULL DEFAULT false,
        address_formatted text,
        address_street text,
        address_locality text,
        address_region text,
        address_postal_code text,
        address_country text,
        CONSTRAINT user_humans_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_humans_gender CHECK (gender IN ('female', 'male', 'diverse')),
        CONSTRAINT user_humans_birthdate CHECK (birthdate ~ '^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$'),
        CONSTRAINT user_humans_phone CHECK (phone ~ '^\\+[0-9]{3,15}$'),
        CONSTRAINT user_humans_phone_verified CHECK (phone IS NOT NULL OR NOT phone_verified)
      )
    `);
    await runner.query(`
      CREATE TABLE user_machines (
        user_id text CONSTRAINT user_machines_pkey PRIMARY KEY,
        org_id text NOT NULL,
        name text NOT NULL,
        description text,
        access_token_type text NOT NULL DEFAULT 'opaque',
        CONSTRAINT user_machines_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_machines_access_token_type CHECK (access_token_type IN ('opaque', 'jwt'))
      )
    `);
    await runner.query(`
      CREATE TABLE user_passwords (
        user_id text CONSTRAINT user_passwords_pkey PRIMARY KEY,
        org_id text NOT NULL,
        hash text NOT NULL,
        scheme text NOT NULL,
        weak boolean NOT NULL DEFAULT false,
        change_required boolean NOT NULL DEFAULT false,
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_passwords_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE
      )
    `);
    await runner.query(`
      CREATE TABLE login_identifiers (
        canonical text NOT NULL,
        kind text NOT NULL,
        org_id text NOT NULL,
        user_id text NOT NULL,
        CONSTRAINT login_identifiers_pkey PRIMARY KEY (canonical, kind, org_id),
        CONSTRAINT login_identifiers_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT login_identifiers_kind CHECK (kind IN ('user_name', 'email'))
      )
    `);
    await runner.query(`CREATE INDEX login_identifiers_by_user ON login_identifiers (user_id)`);
    await runner.query(`
      CREATE TABLE memberships (
        user_id text NOT NULL,
        user_org_id text NOT NULL,
        role text NOT NULL,
        org_id text,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        id text NOT NULL DEFAULT new_id() CONSTRAINT memberships_pkey PRIMARY KEY,
        CONSTRAINT memberships_user FOREIGN KEY (user_org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT memberships_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT memberships_once UNIQUE NULLS NOT DISTINCT (user_id, role, org_id),
        CONSTRAINT memberships_scope CHECK ((role LIKE 'IAM\\_%') = (org_id IS NULL)),
        CONSTRAINT memberships_role CHECK (role IN (
          'IAM_OWNER', 'IAM_OWNER_VIEWER', 'IAM_END_USER_IMPERSONATOR', 'IAM_ADMIN_IMPERSONATOR',
          'ORG_OWNER', 'ORG_USER_MANAGER', 'ORG_OWNER_VIEWER', 'ORG_END_USER_IMPERSONATOR',
          'ORG_ADMIN_IMPERSONATOR'))
      )
    `);
    await runner.query(`
      CREATE TABLE personal_access_tokens (
        id text NOT NULL DEFAULT new_id() CONSTRAINT personal_access_tokens_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        token_hash bytea NOT NULL,
        expires_at timestamptz,
        revoked_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT personal_access_tokens_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT personal_access_tokens_hash UNIQUE (token_hash)
      )
    `);
    await runner.query(
      `CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (org_id, user_id)`,
    );
    await runner.query(`
      CREATE TABLE verification_codes (
        id text CONSTRAINT verification_codes_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        purpose text NOT NULL,
        target text NOT NULL,
        code_hash bytea NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        CONSTRAINT verification_codes_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT verification_codes_purpose CHECK (purpose IN ('initialise', 'verify_email', 'verify_phone', 'reset_password')),
        CONSTRAINT verification_codes_attempts CHECK (attempts BETWEEN 0 AND 5)
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX verification_codes_one_live ON verification_codes (user_id, purpose) WHERE ended_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'verification_codes',
      'personal_access_tokens',
      'memberships',
      'login_identifiers',
      'user_passwords',
      'user_machines',
      'user_humans',
      'users',
      'organization_domains',
      'organizations',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
