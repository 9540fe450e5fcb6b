import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Browsers that their users trust: they are spared the second factor there, until a day or until anything of it changes. */
export class CreateTrustedBrowsers1795647700201 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE trusted_browsers (
        user_agent_id text NOT NULL,
        user_id text NOT NULL,
        org_id text NOT NULL,
        mark bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT trusted_browsers_pkey PRIMARY KEY (user_agent_id, user_id),
        CONSTRAINT trusted_browsers_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents (id) ON DELETE CASCADE,
        CONSTRAINT trusted_browsers_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE
      )
    `);
    await runner.query(`CREATE INDEX trusted_browsers_by_user ON trusted_browsers (user_id)`);
    await runner.query(`CREATE INDEX trusted_browsers_expiry ON trusted_browsers (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE trusted_browsers`);
  }
}
