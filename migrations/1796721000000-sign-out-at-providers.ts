import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People who sign out here may be sent to sign out at their provider. The release before keeps no ID tokens, and sends nobody. */
export class SignOutAtProviders1796721000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE provider_sessions ADD COLUMN id_token_sealed bytea, ADD COLUMN data_key_id integer,
        ADD CONSTRAINT provider_sessions_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        ADD CONSTRAINT provider_sessions_sealed CHECK ((id_token_sealed IS NULL) = (data_key_id IS NULL))`);
    await runner.query(`
      CREATE TABLE provider_sign_outs (
        state_hash bytea NOT NULL,
        provider_id text NOT NULL,
        user_agent_id text NOT NULL,
        target text,
        expires_at timestamptz NOT NULL,
        CONSTRAINT provider_sign_outs_pkey PRIMARY KEY (state_hash),
        CONSTRAINT provider_sign_outs_provider FOREIGN KEY (provider_id) REFERENCES identity_providers (id) ON DELETE CASCADE,
        CONSTRAINT provider_sign_outs_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX provider_sign_outs_by_provider ON provider_sign_outs (provider_id)`);
    await runner.query(`CREATE INDEX provider_sign_outs_by_user_agent ON provider_sign_outs (user_agent_id)`);
    await runner.query(`CREATE INDEX provider_sign_outs_expiry ON provider_sign_outs (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE provider_sign_outs`);
    await runner.query(`
      ALTER TABLE provider_sessions DROP COLUMN id_token_sealed, DROP COLUMN data_key_id`);
  }
}
