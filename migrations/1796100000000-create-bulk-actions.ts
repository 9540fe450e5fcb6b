import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is done to many users at once, and what became of each of them. */
export class CreateBulkActions1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE bulk_actions (
        id text NOT NULL DEFAULT new_id(),
        org_id text NOT NULL,
        action text NOT NULL,
        state text NOT NULL DEFAULT 'running',
        created_by text NOT NULL,
        through text,
        finished_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT bulk_actions_pkey PRIMARY KEY (id),
        CONSTRAINT bulk_actions_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        CONSTRAINT bulk_actions_action CHECK
          (action IN ('lock', 'unlock', 'deactivate', 'reactivate', 'sign_out', 'delete')),
        CONSTRAINT bulk_actions_state CHECK (state IN ('running', 'cancelled', 'done'))
      )
    `);
    // those of an organization that are over are forgotten after a while
    await runner.query(`CREATE INDEX bulk_actions_of_org ON bulk_actions (org_id, finished_at)`);
    await runner.query(`
      CREATE TABLE bulk_action_users (
        bulk_action_id text NOT NULL,
        user_id text NOT NULL,
        outcome text,
        reason text,
        CONSTRAINT bulk_action_users_pkey PRIMARY KEY (bulk_action_id, user_id),
        CONSTRAINT bulk_action_users_action FOREIGN KEY (bulk_action_id)
          REFERENCES bulk_actions (id) ON DELETE CASCADE,
        CONSTRAINT bulk_action_users_outcome CHECK (outcome IN ('done', 'failed'))
      )
    `);
    await runner.query(
      `CREATE INDEX bulk_action_users_pending ON bulk_action_users (bulk_action_id, user_id) WHERE outcome IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE bulk_action_users`);
    await runner.query(`DROP TABLE bulk_actions`);
  }
}
