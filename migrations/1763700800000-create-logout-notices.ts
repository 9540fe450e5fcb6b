import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Logout tokens owed to applications (OpenID Connect Back-Channel Logout 1.0), and what a session was seen on. */
export class CreateLogoutNotices1763700800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions
        ADD COLUMN device text,
        ADD CONSTRAINT sessions_device CHECK (char_length(device) BETWEEN 1 AND 60)
    `);
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE logout_notices`);
    await runner.query(`ALTER TABLE sessions DROP COLUMN device`);
  }
}
