import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which session of an identity provider a session began with, so that it ends with that one. The release before keeps none. */
export class CreateProviderSessions1796500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE provider_sessions (
        session_id text CONSTRAINT provider_sessions_pkey PRIMARY KEY
          CONSTRAINT provider_sessions_session REFERENCES sessions (id) ON DELETE CASCADE,
        provider_id text NOT NULL
          CONSTRAINT provider_sessions_provider REFERENCES identity_providers (id) ON DELETE CASCADE,
        subject text NOT NULL,
        provider_session text
      )`);
    await runner.query(
      `CREATE INDEX provider_sessions_by_subject ON provider_sessions (provider_id, subject)`,
    );
    await runner.query(`
      CREATE INDEX provider_sessions_by_session ON provider_sessions (provider_id, provider_session)
      WHERE provider_session IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE provider_sessions`);
  }
}
