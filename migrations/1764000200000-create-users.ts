import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users of both kinds, the names they sign in with, what is said of them, their memberships, and those who register.
 *
 * A deleted user stays as a row without anything personal in it, so that no id is ever used again. `pending_email` is an
 * address that waits for its code while the verified one still counts. A verified address is `proven` by its owner, or an
 * import or an administrator vouched for it.
 */
export class CreateUsers1764000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
        CONSTRAINT users_state CHECK (state IN ('initial', 'active', 'inactive', 'locked', 'deleted')),
        CONSTRAINT users_id CHECK (octet_length(id) BETWEEN 1 AND 200 AND id !~ '[^!-~]'),
        CONSTRAINT users_user_name CHECK (char_length(user_name) BETWEEN 1 AND 200)
      )
    `);
    await runner.query(`
      CREATE TRIGGER users_keep_ids_of_others AFTER INSERT ON users REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION keep_ids_of_others()
    `);
    await runner.query(`CREATE INDEX users_listed ON users (org_id, id) WHERE state <> 'deleted'`);
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
        pending_email text,
        CONSTRAINT user_humans_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_humans_gender CHECK (gender IN ('female', 'male', 'diverse')),
        CONSTRAINT user_humans_birthdate CHECK (birthdate ~ '^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$'),
        CONSTRAINT user_humans_phone CHECK (phone ~ '^\\+[0-9]{3,15}$'),
        CONSTRAINT user_humans_phone_verified CHECK (phone IS NOT NULL OR NOT phone_verified),
        CONSTRAINT user_humans_pending_email
          CHECK (pending_email IS NULL OR (pending_email <> email AND email_verified))
      )
    `);
    // in the order of bytes, so that one index serves equality and beginnings in every locale
    await runner.query(`CREATE INDEX users_search_name ON users (org_id, lower(user_name) text_pattern_ops)`);
    for (const column of ['first_name', 'last_name', 'display_name', 'email']) {
      await runner.query(
        `CREATE INDEX user_humans_search_${column} ON user_humans (org_id, lower(${column}) text_pattern_ops)`,
      );
    }
    // who made its secret: a user's id, empty for whoever runs the service, null where nobody knows, which is the lowest rank
    await runner.query(`
      CREATE TABLE service_users (
        user_id text CONSTRAINT service_users_pkey PRIMARY KEY,
        org_id text NOT NULL,
        name text NOT NULL,
        description text,
        access_token_type text NOT NULL DEFAULT 'opaque',
        secret_hash bytea,
        secret_made_by text,
        CONSTRAINT service_users_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT service_users_access_token_type CHECK (access_token_type IN ('opaque', 'jwt'))
      )
    `);
    await runner.query(`
      CREATE TABLE login_identifiers (
        canonical text NOT NULL,
        kind text NOT NULL,
        org_id text NOT NULL,
        user_id text NOT NULL,
        proven boolean NOT NULL DEFAULT false,
        CONSTRAINT login_identifiers_pkey PRIMARY KEY (canonical, kind, org_id),
        CONSTRAINT login_identifiers_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT login_identifiers_kind CHECK (kind IN ('user_name', 'email')),
        CONSTRAINT login_identifiers_proven CHECK (kind = 'email' OR NOT proven)
      )
    `);
    await runner.query(`CREATE INDEX login_identifiers_by_user ON login_identifiers (user_id)`);
    await runner.query(`
      CREATE TABLE user_metadata (
        org_id text NOT NULL,
        user_id text NOT NULL,
        key text NOT NULL,
        value bytea NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_metadata_pkey PRIMARY KEY (user_id, key),
        CONSTRAINT user_metadata_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_metadata_key CHECK (char_length(key) BETWEEN 1 AND 200),
        CONSTRAINT user_metadata_value CHECK (octet_length(value) BETWEEN 1 AND 500000)
      )
    `);
    await runner.query(`
      CREATE TABLE memberships (
        user_id text NOT NULL,
        user_org_id text NOT NULL,
        role text NOT NULL,
        org_id text,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        id text NOT NULL DEFAULT new_id() CONSTRAINT memberships_pkey PRIMARY KEY,
        sequence bigint NOT NULL DEFAULT 1,
        changed_at timestamptz NOT NULL DEFAULT app_now(),
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
    await runner.query(`CREATE INDEX memberships_of_org ON memberships (org_id)`);
    // accounts that people ask for wait here until the mailbox is proven, so that there is no user before
    await runner.query(`
      CREATE TABLE registrations (
        id text CONSTRAINT registrations_pkey PRIMARY KEY,
        org_id text NOT NULL,
        flow_id text,
        first_name text NOT NULL,
        last_name text NOT NULL,
        email text NOT NULL,
        email_canonical text NOT NULL,
        login_name text NOT NULL,
        user_name text NOT NULL,
        locale text NOT NULL,
        password_hash text,
        code_id text,
        code_hash bytea,
        attempts integer NOT NULL DEFAULT 0,
        resends integer NOT NULL DEFAULT 0,
        mailed boolean NOT NULL,
        sent_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        ended_at timestamptz,
        CONSTRAINT registrations_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT registrations_attempts CHECK (attempts BETWEEN 0 AND 5),
        CONSTRAINT registrations_resends CHECK (resends BETWEEN 0 AND 2),
        CONSTRAINT registrations_code CHECK ((code_id IS NULL) = (code_hash IS NULL)),
        CONSTRAINT registrations_secrets CHECK (ended_at IS NULL OR password_hash IS NULL)
      )
    `);
    await runner.query(`CREATE INDEX registrations_by_org ON registrations (org_id)`);
    await runner.query(`CREATE INDEX registrations_by_target ON registrations (email_canonical, created_at)`);
    await runner.query(`CREATE INDEX registrations_expiry ON registrations (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'registrations',
      'memberships',
      'user_metadata',
      'login_identifiers',
      'service_users',
      'user_humans',
      'users',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
