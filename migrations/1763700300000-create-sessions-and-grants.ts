import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Browser agents, sessions, authorization requests, codes, grants, refresh-token families, revoked tokens. */
export class CreateSessionsAndGrants1763700300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_agents (
        id text CONSTRAINT user_agents_pkey PRIMARY KEY,
        secret_hash bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        last_seen_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_agents_secret UNIQUE (secret_hash)
      )
    `);
    await runner.query(`CREATE INDEX user_agents_last_seen ON user_agents (last_seen_at)`);
    await runner.query(`
      CREATE TABLE sessions (
        id text CONSTRAINT sessions_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        user_agent_id text NOT NULL,
        auth_time timestamptz NOT NULL,
        amr text[] NOT NULL,
        subject_epoch integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        last_used_at timestamptz NOT NULL DEFAULT app_now(),
        ended_at timestamptz,
        end_reason text,
        CONSTRAINT sessions_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT sessions_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents (id) ON DELETE CASCADE,
        CONSTRAINT sessions_in_org UNIQUE (org_id, id),
        CONSTRAINT sessions_end CHECK ((ended_at IS NULL) = (end_reason IS NULL))
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX sessions_one_live_per_user ON sessions (user_agent_id, user_id) WHERE ended_at IS NULL`,
    );
    await runner.query(`CREATE INDEX sessions_by_user ON sessions (org_id, user_id)`);
    await runner.query(`CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE auth_requests (
        id text CONSTRAINT auth_requests_pkey PRIMARY KEY,
        user_agent_id text NOT NULL,
        destination text NOT NULL,
        application_id text,
        redirect_uri text,
        response_type text,
        response_mode text,
        scopes text[] NOT NULL DEFAULT '{}',
        state text,
        nonce text,
        code_challenge text,
        prompts text[] NOT NULL DEFAULT '{}',
        max_age integer,
        login_hint text,
        ui_locales text[] NOT NULL DEFAULT '{}',
        acr_values text[] NOT NULL DEFAULT '{}',
        claims jsonb,
        hinted_user_id text,
        session_id text,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        CONSTRAINT auth_requests_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents (id) ON DELETE CASCADE,
        CONSTRAINT auth_requests_application FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE,
        CONSTRAINT auth_requests_session FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE,
        CONSTRAINT auth_requests_destination CHECK (destination IN ('application', 'home', 'queues')),
        CONSTRAINT auth_requests_complete CHECK (destination <> 'application'
          OR (application_id IS NOT NULL AND redirect_uri IS NOT NULL AND response_type IS NOT NULL))
      )
    `);
    await runner.query(`CREATE INDEX auth_requests_expiry ON auth_requests (expires_at)`);
    await runner.query(`
      CREATE TABLE grants (
        id text CONSTRAINT grants_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        application_id text NOT NULL,
        session_id text,
        scopes text[] NOT NULL,
        audience text[] NOT NULL,
        auth_time timestamptz NOT NULL,
        amr text[] NOT NULL,
        acr text,
        nonce text,
        claims jsonb,
        actor jsonb,
        subject_epoch integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        revoked_at timestamptz,
        revoke_reason text,
        CONSTRAINT grants_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT grants_application FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE,
        CONSTRAINT grants_session FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id)
          ON DELETE SET NULL (session_id),
        CONSTRAINT grants_end CHECK ((revoked_at IS NULL) = (revoke_reason IS NULL))
      )
    `);
    await runner.query(`CREATE INDEX grants_by_user ON grants (org_id, user_id)`);
    await runner.query(`CREATE INDEX grants_by_session ON grants (session_id)`);
    await runner.query(`
      CREATE TABLE codes (
        hash bytea CONSTRAINT codes_pkey PRIMARY KEY,
        grant_id text NOT NULL,
        redirect_uri text NOT NULL,
        code_challenge text,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT codes_grant FOREIGN KEY (grant_id) REFERENCES grants (id) ON DELETE CASCADE
      )
    `);
    await runner.query(`CREATE INDEX codes_by_grant ON codes (grant_id)`);
    await runner.query(`CREATE INDEX codes_expiry ON codes (expires_at)`);
    await runner.query(`
      CREATE TABLE refresh_token_families (
        grant_id text CONSTRAINT refresh_token_families_pkey PRIMARY KEY,
        absolute_expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT refresh_token_families_grant FOREIGN KEY (grant_id) REFERENCES grants (id) ON DELETE CASCADE
      )
    `);
    await runner.query(
      `CREATE INDEX refresh_token_families_expiry ON refresh_token_families (absolute_expires_at)`,
    );
    await runner.query(`
      CREATE TABLE refresh_tokens (
        hash bytea CONSTRAINT refresh_tokens_pkey PRIMARY KEY,
        grant_id text NOT NULL,
        idle_expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        used_at timestamptz,
        successor_hash bytea,
        successor_sealed bytea,
        CONSTRAINT refresh_tokens_family FOREIGN KEY (grant_id) REFERENCES refresh_token_families (grant_id) ON DELETE CASCADE,
        CONSTRAINT refresh_tokens_successor CHECK ((used_at IS NULL) = (successor_hash IS NULL))
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX refresh_tokens_one_unused ON refresh_tokens (grant_id) WHERE used_at IS NULL`,
    );
    // foreign keys that delete with their parent need to find their rows
    await runner.query(`CREATE INDEX refresh_tokens_by_grant ON refresh_tokens (grant_id)`);
    await runner.query(`CREATE INDEX sessions_by_user_agent ON sessions (user_agent_id)`);
    await runner.query(`CREATE INDEX auth_requests_by_user_agent ON auth_requests (user_agent_id)`);
    await runner.query(
      `CREATE INDEX auth_requests_by_session ON auth_requests (session_id) WHERE session_id IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE revoked_tokens (
        jti text CONSTRAINT revoked_tokens_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
    await runner.query(`CREATE INDEX revoked_tokens_expiry ON revoked_tokens (expires_at)`);
    await runner.query(`
      CREATE TABLE signing_keys (
        kid text CONSTRAINT signing_keys_pkey PRIMARY KEY,
        algorithm text NOT NULL,
        state text NOT NULL,
        public_jwk jsonb NOT NULL,
        private_sealed bytea,
        data_key_id integer,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        current_since timestamptz,
        previous_since timestamptz,
        gone_at timestamptz,
        CONSTRAINT signing_keys_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT signing_keys_algorithm CHECK (algorithm IN ('RS256', 'ES256', 'EdDSA')),
        CONSTRAINT signing_keys_state CHECK (state IN ('next', 'current', 'previous', 'gone')),
        CONSTRAINT signing_keys_private CHECK (state IN ('previous', 'gone') OR private_sealed IS NOT NULL),
        CONSTRAINT signing_keys_sealed CHECK ((private_sealed IS NULL) = (data_key_id IS NULL))
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX signing_keys_one_current ON signing_keys (algorithm) WHERE state = 'current'`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX signing_keys_one_next ON signing_keys (algorithm) WHERE state = 'next'`,
    );
    await runner.query(`
      CREATE TABLE token_keys (
        id integer GENERATED BY DEFAULT AS IDENTITY CONSTRAINT token_keys_pkey PRIMARY KEY,
        state text NOT NULL,
        sealed bytea NOT NULL,
        data_key_id integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT token_keys_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT token_keys_state CHECK (state IN ('next', 'current', 'previous', 'gone'))
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX token_keys_one_current ON token_keys (state) WHERE state = 'current'`,
    );
    await runner.query(`CREATE UNIQUE INDEX token_keys_one_next ON token_keys (state) WHERE state = 'next'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'token_keys',
      'signing_keys',
      'revoked_tokens',
      'refresh_tokens',
      'refresh_token_families',
      'codes',
      'grants',
      'auth_requests',
      'sessions',
      'user_agents',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
