import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Roles of projects and who holds them; what an organization has to publish to prove a domain; memberships and
 * domains count their changes, and an organization can be removed.
 */
export class CreateRolesAndMembers1763701200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE project_roles (
        org_id text NOT NULL,
        project_id text NOT NULL,
        key text NOT NULL,
        display_name text NOT NULL,
        role_group text NOT NULL DEFAULT '',
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT project_roles_pkey PRIMARY KEY (project_id, key),
        CONSTRAINT project_roles_project FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id) ON DELETE CASCADE,
        CONSTRAINT project_roles_key CHECK (key ~ '^[!#-[\\]-~]{1,200}$')
      )
    `);
    await runner.query(`
      CREATE TABLE user_grants (
        id text NOT NULL DEFAULT new_id() CONSTRAINT user_grants_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        project_id text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_grants_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_grants_project FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_grants_once UNIQUE (user_id, project_id),
        CONSTRAINT user_grants_of_project UNIQUE (project_id, id),
        CONSTRAINT user_grants_state CHECK (state IN ('active', 'inactive'))
      )
    `);
    // a role that goes takes itself out of every grant
    await runner.query(`
      CREATE TABLE user_grant_roles (
        grant_id text NOT NULL,
        project_id text NOT NULL,
        role_key text NOT NULL,
        CONSTRAINT user_grant_roles_pkey PRIMARY KEY (grant_id, role_key),
        CONSTRAINT user_grant_roles_grant FOREIGN KEY (project_id, grant_id) REFERENCES user_grants (project_id, id) ON DELETE CASCADE,
        CONSTRAINT user_grant_roles_role FOREIGN KEY (project_id, role_key) REFERENCES project_roles (project_id, key) ON DELETE CASCADE
      )
    `);
    await runner.query(`CREATE INDEX user_grant_roles_by_role ON user_grant_roles (project_id, role_key)`);
    await runner.query(`ALTER TABLE organization_domains ADD COLUMN validation_token text`);
    await runner.query(`ALTER TABLE organization_domains ADD COLUMN sequence bigint NOT NULL DEFAULT 1`);
    await runner.query(
      `ALTER TABLE organization_domains ADD COLUMN changed_at timestamptz NOT NULL DEFAULT app_now()`,
    );
    await runner.query(`ALTER TABLE memberships ADD COLUMN sequence bigint NOT NULL DEFAULT 1`);
    await runner.query(
      `ALTER TABLE memberships ADD COLUMN changed_at timestamptz NOT NULL DEFAULT app_now()`,
    );
    await runner.query(`CREATE INDEX memberships_of_org ON memberships (org_id)`);
    await runner.query(`ALTER TABLE organizations DROP CONSTRAINT organizations_state`);
    await runner.query(
      `ALTER TABLE organizations ADD CONSTRAINT organizations_state CHECK (state IN ('active', 'inactive', 'removed'))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organizations DROP CONSTRAINT organizations_state`);
    await runner.query(
      `ALTER TABLE organizations ADD CONSTRAINT organizations_state CHECK (state IN ('active', 'inactive'))`,
    );
    await runner.query(`DROP INDEX memberships_of_org`);
    await runner.query(`ALTER TABLE memberships DROP COLUMN changed_at`);
    await runner.query(`ALTER TABLE memberships DROP COLUMN sequence`);
    await runner.query(`ALTER TABLE organization_domains DROP COLUMN changed_at`);
    await runner.query(`ALTER TABLE organization_domains DROP COLUMN sequence`);
    await runner.query(`ALTER TABLE organization_domains DROP COLUMN validation_token`);
    await runner.query(`DROP TABLE user_grant_roles`);
    await runner.query(`DROP TABLE user_grants`);
    await runner.query(`DROP TABLE project_roles`);
  }
}
