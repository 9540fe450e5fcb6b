import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects, the applications (OAuth clients) in them, and the one row that describes the instance. */
export class CreateProjectsAndApplications1763700200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        id text NOT NULL DEFAULT new_id() CONSTRAINT projects_pkey PRIMARY KEY,
        org_id text NOT NULL,
        name text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        project_role_assertion boolean NOT NULL DEFAULT false,
        project_role_check boolean NOT NULL DEFAULT false,
        has_project_check boolean NOT NULL DEFAULT false,
        private_labeling_setting text NOT NULL DEFAULT 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT projects_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        CONSTRAINT projects_in_org UNIQUE (org_id, id),
        CONSTRAINT projects_name_in_org UNIQUE (org_id, name),
        CONSTRAINT projects_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT projects_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT projects_private_labeling CHECK (private_labeling_setting IN (
          'PRIVATE_LABELING_SETTING_UNSPECIFIED',
          'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
          'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'))
      )
    `);
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
        CONSTRAINT applications_clock_skew CHECK (clock_skew_seconds BETWEEN 0 AND 5)
      )
    `);
    // every request of a foreign origin asks which application has it
    await runner.query(`CREATE INDEX applications_origins ON applications USING gin (origins)`);
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
    await runner.query(`DROP TABLE instance`);
    await runner.query(`DROP TABLE applications`);
    await runner.query(`DROP TABLE projects`);
  }
}
