import type { MigrationInterface, QueryRunner } from 'typeorm';
import { EXCHANGE_HOLDS } from './exchange-holds.js';

/**
 * User agents, sessions, authorization requests, what users let applications do, codes, refresh tokens, revoked tokens, and
 * logout tokens owed to applications (OpenID Connect Back-Channel Logout 1.0).
 *
 * An authorization that came of a token exchange has its lineage: what it hangs from. One function tells whether all of that
 * still holds; it is asked for such authorizations alone, so nothing else pays for it. The tokens in a lineage stand in a
 * column of their own, so that upkeep keeps their revocations for as long as it lives.
 */
export class CreateSessionsAndAuthorizations1764000800000 implements MigrationInterface {
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
        device text,
        CONSTRAINT sessions_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT sessions_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents (id) ON DELETE CASCADE,
        CONSTRAINT sessions_in_org UNIQUE (org_id, id),
        CONSTRAINT sessions_end CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
        CONSTRAINT sessions_device CHECK (char_length(device) BETWEEN 1 AND 60)
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX sessions_one_live_per_user ON sessions (user_agent_id, user_id) WHERE ended_at IS NULL`,
    );
    await runner.query(`CREATE INDEX sessions_by_user ON sessions (org_id, user_id)`);
    // foreign keys that delete with their parent need to find their rows
    await runner.query(`CREATE INDEX sessions_by_user_agent ON sessions (user_agent_id)`);
    await runner.query(`CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at IS NOT NULL`);
    await runner.query(`CREATE INDEX sessions_by_age ON sessions (created_at) WHERE ended_at IS NULL`);
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
    await runner.query(`CREATE INDEX auth_requests_by_user_agent ON auth_requests (user_agent_id)`);
    await runner.query(
      `CREATE INDEX auth_requests_by_session ON auth_requests (session_id) WHERE session_id IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE authorizations (
        id text CONSTRAINT authorizations_pkey PRIMARY KEY,
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
        lineage jsonb,
        access_token_type text,
        lineage_tokens text[],
        client_epoch integer NOT NULL DEFAULT 0,
        CONSTRAINT authorizations_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT authorizations_application FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE,
        CONSTRAINT authorizations_session FOREIGN KEY (org_id, session_id) REFERENCES sessions (org_id, id)
          ON DELETE SET NULL (session_id),
        CONSTRAINT authorizations_end CHECK ((revoked_at IS NULL) = (revoke_reason IS NULL)),
        CONSTRAINT authorizations_access_token_type CHECK (access_token_type IN ('opaque', 'jwt'))
      )
    `);
    await runner.query(`CREATE INDEX authorizations_by_user ON authorizations (org_id, user_id)`);
    await runner.query(`CREATE INDEX authorizations_by_session ON authorizations (session_id)`);
    await runner.query(`CREATE INDEX authorizations_by_age ON authorizations (created_at)`);
    await runner.query(
      `CREATE INDEX authorizations_by_lineage ON authorizations USING gin (lineage) WHERE lineage IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX authorizations_by_lineage_token ON authorizations USING gin (lineage_tokens) WHERE lineage_tokens IS NOT NULL`,
    );
    // codes know their session, so that the few that still live are found without a look at every authorization that the
    // session has had; no foreign key: a code goes with its authorization, and nothing else is read by this column
    await runner.query(`
      CREATE TABLE codes (
        hash bytea CONSTRAINT codes_pkey PRIMARY KEY,
        authorization_id text NOT NULL,
        redirect_uri text NOT NULL,
        code_challenge text,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        session_id text,
        CONSTRAINT codes_authorization FOREIGN KEY (authorization_id) REFERENCES authorizations (id) ON DELETE CASCADE
      )
    `);
    await runner.query(`CREATE INDEX codes_by_authorization ON codes (authorization_id)`);
    await runner.query(`CREATE INDEX codes_expiry ON codes (expires_at)`);
    await runner.query(
      `CREATE INDEX codes_live_by_session ON codes (session_id, expires_at) WHERE used_at IS NULL`,
    );
    await runner.query(`
      CREATE TABLE refresh_token_families (
        authorization_id text CONSTRAINT refresh_token_families_pkey PRIMARY KEY,
        absolute_expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT refresh_token_families_authorization FOREIGN KEY (authorization_id) REFERENCES authorizations (id) ON DELETE CASCADE
      )
    `);
    await runner.query(
      `CREATE INDEX refresh_token_families_expiry ON refresh_token_families (absolute_expires_at)`,
    );
    await runner.query(`
      CREATE TABLE refresh_tokens (
        hash bytea CONSTRAINT refresh_tokens_pkey PRIMARY KEY,
        authorization_id text NOT NULL,
        idle_expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        used_at timestamptz,
        successor_hash bytea,
        successor_sealed bytea,
        CONSTRAINT refresh_tokens_family FOREIGN KEY (authorization_id) REFERENCES refresh_token_families (authorization_id) ON DELETE CASCADE,
        CONSTRAINT refresh_tokens_successor CHECK ((used_at IS NULL) = (successor_hash IS NULL))
      )
    `);
    await runner.query(
      `CREATE UNIQUE INDEX refresh_tokens_one_unused ON refresh_tokens (authorization_id) WHERE used_at IS NULL`,
    );
    await runner.query(`CREATE INDEX refresh_tokens_by_authorization ON refresh_tokens (authorization_id)`);
    await runner.query(`
      CREATE TABLE revoked_tokens (
        jti text CONSTRAINT revoked_tokens_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
    await runner.query(`CREATE INDEX revoked_tokens_expiry ON revoked_tokens (expires_at)`);
    await runner.query(EXCHANGE_HOLDS);
    // user and session are told by id alone: the news that a session is over outlives both of them
    await runner.query(`
      CREATE TABLE logout_notices (
        id text NOT NULL DEFAULT new_id() CONSTRAINT logout_notices_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        session_id text NOT NULL,
        application_id text NOT NULL,
        outbox_id bigint,
        state text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        fence bigint NOT NULL DEFAULT 0,
        claimed_until timestamptz,
        last_error text,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        finished_at timestamptz,
        CONSTRAINT logout_notices_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        CONSTRAINT logout_notices_application FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE,
        CONSTRAINT logout_notices_once UNIQUE (session_id, application_id),
        CONSTRAINT logout_notices_state CHECK (state IN ('pending', 'sending', 'delivered', 'abandoned')),
        CONSTRAINT logout_notices_finished CHECK ((state IN ('delivered', 'abandoned')) = (finished_at IS NOT NULL))
      )
    `);
    await runner.query(`CREATE INDEX logout_notices_by_application ON logout_notices (application_id)`);
    await runner.query(
      `CREATE INDEX logout_notices_by_end ON logout_notices (finished_at) WHERE finished_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX logout_notices_unfinished ON logout_notices (created_at) WHERE finished_at IS NULL`,
    );
    // how an application's logout endpoint has fared
    await runner.query(`
      CREATE TABLE logout_endpoints (
        application_id text CONSTRAINT logout_endpoints_pkey PRIMARY KEY,
        uri text NOT NULL,
        failures integer NOT NULL,
        failing_since timestamptz NOT NULL DEFAULT app_now(),
        next_try_at timestamptz NOT NULL,
        CONSTRAINT logout_endpoints_application FOREIGN KEY (application_id) REFERENCES applications (id)
          ON DELETE CASCADE,
        CONSTRAINT logout_endpoints_failures CHECK (failures > 0)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['logout_endpoints', 'logout_notices']) await runner.query(`DROP TABLE ${table}`);
    await runner.query(`DROP FUNCTION exchange_holds(jsonb)`);
    for (const table of [
      'revoked_tokens',
      'refresh_tokens',
      'refresh_token_families',
      'codes',
      'authorizations',
      'auth_requests',
      'sessions',
      'user_agents',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
