import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Applications (OAuth clients) with their public keys for private_key_jwt (RFC 7523), the assertions that were used up,
 * what users agreed to, and the one row that describes the instance.
 *
 * The service's own audience goes to an application only where it was given (`management_access`), and, unless bootstrap
 * made the application (`first_party`), after the user has agreed. `missed_settings` is what requests asked of it that its
 * settings do not allow; its owners are told of it.
 */
export class CreateApplications1764000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE applications (
        id text NOT NULL DEFAULT new_id() CONSTRAINT applications_pkey PRIMARY KEY,
        org_id text NOT NULL,
        project_id text NOT NULL,
        client_id text NOT NULL DEFAULT new_id(),
        name text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        kind text NOT NULL,
        app_type text NOT NULL DEFAULT 'web',
        auth_method text NOT NULL,
        client_secret_hash bytea,
        response_types text[] NOT NULL DEFAULT '{code}',
        grant_types text[] NOT NULL DEFAULT '{authorization_code}',
        redirect_uris text[] NOT NULL DEFAULT '{}',
        post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
        additional_origins text[] NOT NULL DEFAULT '{}',
        origins text[] NOT NULL DEFAULT '{}',
        access_token_type text NOT NULL DEFAULT 'opaque',
        id_token_userinfo_assertion boolean NOT NULL DEFAULT false,
        access_token_role_assertion boolean NOT NULL DEFAULT false,
        id_token_role_assertion boolean NOT NULL DEFAULT false,
        dev_mode boolean NOT NULL DEFAULT false,
        clock_skew_seconds integer NOT NULL DEFAULT 0,
        skip_native_app_success_page boolean NOT NULL DEFAULT false,
        back_channel_logout_uri text,
        token_epoch integer NOT NULL DEFAULT 0,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        assertion_issuer_only boolean NOT NULL DEFAULT false,
        id_token_algorithm text,
        management_access text NOT NULL DEFAULT 'none',
        access_given_by text,
        first_party boolean NOT NULL DEFAULT false,
        authorization_epoch integer NOT NULL DEFAULT 0,
        missed_settings text[] NOT NULL DEFAULT '{}',
        CONSTRAINT applications_project FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
        CONSTRAINT applications_in_org UNIQUE (org_id, id),
        CONSTRAINT applications_client_id UNIQUE (client_id),
        CONSTRAINT applications_name_in_project UNIQUE (project_id, name),
        CONSTRAINT applications_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT applications_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT applications_kind CHECK (kind IN ('oidc', 'api')),
        CONSTRAINT applications_app_type CHECK (app_type IN ('web', 'user_agent', 'native')),
        CONSTRAINT applications_auth_method CHECK (auth_method IN ('client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt')),
        CONSTRAINT applications_secret CHECK ((auth_method LIKE 'client_secret_%') = (client_secret_hash IS NOT NULL)),
        CONSTRAINT applications_response_types CHECK (response_types <@ '{code,id_token,id_token token}'::text[]),
        CONSTRAINT applications_grant_types CHECK (grant_types <@ '{authorization_code,implicit,refresh_token,client_credentials,urn:ietf:params:oauth:grant-type:jwt-bearer,urn:ietf:params:oauth:grant-type:token-exchange}'::text[]),
        CONSTRAINT applications_redirect_uris CHECK (cardinality(redirect_uris) <= 100 AND cardinality(post_logout_redirect_uris) <= 100 AND cardinality(additional_origins) <= 100),
        CONSTRAINT applications_access_token_type CHECK (access_token_type IN ('opaque', 'jwt')),
        CONSTRAINT applications_clock_skew CHECK (clock_skew_seconds BETWEEN 0 AND 5),
        CONSTRAINT applications_id_token_algorithm CHECK (id_token_algorithm IN ('RS256', 'ES256', 'EdDSA')),
        CONSTRAINT applications_management_access CHECK (management_access IN ('none', 'organization', 'instance')),
        CONSTRAINT applications_access_given
          CHECK ((management_access = 'none') = (access_given_by IS NULL AND NOT first_party)),
        CONSTRAINT applications_first_party CHECK (NOT first_party OR access_given_by IS NULL)
      )
    `);
    await runner.query(`
      CREATE TRIGGER applications_claim_id AFTER INSERT ON applications
      FOR EACH ROW EXECUTE FUNCTION claim_own_id('application')
    `);
    await runner.query(`
      CREATE TRIGGER applications_claim_client_id AFTER INSERT OR UPDATE OF client_id ON applications
      FOR EACH ROW EXECUTE FUNCTION claim_client_id()
    `);
    // every request of a foreign origin asks which application has it
    await runner.query(`CREATE INDEX applications_origins ON applications USING gin (origins)`);
    await runner.query(
      `CREATE INDEX applications_by_giver ON applications (access_given_by) WHERE access_given_by IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE application_keys (
        id text NOT NULL DEFAULT new_id() CONSTRAINT application_keys_pkey PRIMARY KEY,
        org_id text NOT NULL,
        application_id text NOT NULL,
        public_jwk jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT application_keys_application FOREIGN KEY (org_id, application_id)
          REFERENCES applications (org_id, id) ON DELETE CASCADE,
        CONSTRAINT application_keys_public CHECK (NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[]))
      )
    `);
    await runner.query(`
      CREATE TRIGGER application_keys_claim_id AFTER INSERT ON application_keys
      FOR EACH ROW EXECUTE FUNCTION claim_own_id('application_key')
    `);
    await runner.query(
      `CREATE INDEX application_keys_by_application ON application_keys (org_id, application_id)`,
    );
    await runner.query(`
      CREATE TABLE used_assertions (
        hash bytea NOT NULL CONSTRAINT used_assertions_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query(`CREATE INDEX used_assertions_expiry ON used_assertions (expires_at)`);
    await runner.query(`
      CREATE TABLE consents (
        user_id text NOT NULL,
        application_id text NOT NULL,
        org_id text NOT NULL,
        access text NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT consents_pkey PRIMARY KEY (user_id, application_id),
        CONSTRAINT consents_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT consents_application FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE,
        CONSTRAINT consents_access CHECK (access IN ('organization', 'instance'))
      )
    `);
    await runner.query(`CREATE INDEX consents_by_application ON consents (application_id)`);
    await runner.query(`
      CREATE TABLE instance (
        id boolean NOT NULL DEFAULT true CONSTRAINT instance_pkey PRIMARY KEY,
        default_org_id text NOT NULL,
        api_project_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT instance_one_row CHECK (id),
        CONSTRAINT instance_default_org FOREIGN KEY (default_org_id) REFERENCES organizations (id),
        CONSTRAINT instance_api_project FOREIGN KEY (default_org_id, api_project_id) REFERENCES projects (org_id, id)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['instance', 'consents', 'used_assertions', 'application_keys', 'applications']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
