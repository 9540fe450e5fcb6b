import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Providers that people sign in with elsewhere, who is whom there, and sign-ins that are under way at one. Settings are what
 * each kind needs, so that a kind of another protocol is a row like any other.
 */
export class CreateIdentityProviders1796400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity_providers (
        id text NOT NULL DEFAULT new_id(),
        org_id text,
        name text NOT NULL,
        kind text NOT NULL,
        state text NOT NULL DEFAULT 'inactive',
        settings jsonb NOT NULL,
        mapping jsonb NOT NULL DEFAULT '{}',
        allow_creation boolean NOT NULL DEFAULT false,
        allow_linking boolean NOT NULL DEFAULT true,
        update_on_sign_in boolean NOT NULL DEFAULT false,
        home_realm boolean NOT NULL DEFAULT false,
        secret_sealed bytea,
        data_key_id integer,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT identity_providers_pkey PRIMARY KEY (id),
        CONSTRAINT identity_providers_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT identity_providers_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT identity_providers_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT identity_providers_kind CHECK (char_length(kind) BETWEEN 1 AND 40),
        CONSTRAINT identity_providers_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT identity_providers_settings CHECK
          (jsonb_typeof(settings) = 'object' AND jsonb_typeof(mapping) = 'object'),
        CONSTRAINT identity_providers_home_realm CHECK (NOT home_realm OR org_id IS NOT NULL),
        CONSTRAINT identity_providers_sealed CHECK ((secret_sealed IS NULL) = (data_key_id IS NULL))
      )
    `);
    await runner.query(`CREATE INDEX identity_providers_of_org ON identity_providers (org_id, created_at)`);
    // to whom people with an address of the organization's domains are sent
    await runner.query(
      `CREATE UNIQUE INDEX identity_providers_one_home_realm ON identity_providers (org_id) WHERE home_realm`,
    );
    await runner.query(`
      CREATE TABLE user_identities (
        id text NOT NULL DEFAULT new_id(),
        provider_id text NOT NULL,
        subject text NOT NULL,
        org_id text NOT NULL,
        user_id text NOT NULL,
        display_name text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT app_now(),
        last_used_at timestamptz,
        CONSTRAINT user_identities_pkey PRIMARY KEY (id),
        CONSTRAINT user_identities_subject UNIQUE (provider_id, subject),
        CONSTRAINT user_identities_provider FOREIGN KEY (provider_id)
          REFERENCES identity_providers (id) ON DELETE CASCADE,
        CONSTRAINT user_identities_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_identities_named CHECK
          (char_length(subject) BETWEEN 1 AND 255 AND char_length(display_name) <= 200)
      )
    `);
    await runner.query(`CREATE INDEX user_identities_by_user ON user_identities (org_id, user_id)`);
    await runner.query(`
      CREATE TABLE external_sign_ins (
        state_hash bytea NOT NULL,
        provider_id text NOT NULL,
        user_agent_id text NOT NULL,
        flow_id text,
        link_session_id text,
        nonce text NOT NULL,
        code_verifier text NOT NULL,
        max_age integer,
        expires_at timestamptz NOT NULL,
        CONSTRAINT external_sign_ins_pkey PRIMARY KEY (state_hash),
        CONSTRAINT external_sign_ins_purpose CHECK (num_nonnulls(flow_id, link_session_id) = 1),
        CONSTRAINT external_sign_ins_provider FOREIGN KEY (provider_id)
          REFERENCES identity_providers (id) ON DELETE CASCADE,
        CONSTRAINT external_sign_ins_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents (id) ON DELETE CASCADE
      )
    `);
    await runner.query(`CREATE INDEX external_sign_ins_by_provider ON external_sign_ins (provider_id)`);
    await runner.query(`CREATE INDEX external_sign_ins_by_user_agent ON external_sign_ins (user_agent_id)`);
    await runner.query(`CREATE INDEX external_sign_ins_expiry ON external_sign_ins (expires_at)`);
    // who somebody is elsewhere, until they have shown whose account it goes with
    await runner.query(`ALTER TABLE auth_requests ADD COLUMN pending_identity jsonb`);
    await runner.query(`
      ALTER TABLE login_policies ADD COLUMN allow_external_idps boolean NOT NULL DEFAULT true,
        ADD COLUMN instance_idps text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE login_policies DROP COLUMN instance_idps, DROP COLUMN allow_external_idps`,
    );
    await runner.query(`ALTER TABLE auth_requests DROP COLUMN pending_identity`);
    await runner.query(`DROP TABLE external_sign_ins`);
    await runner.query(`DROP TABLE user_identities`);
    await runner.query(`DROP TABLE identity_providers`);
  }
}
