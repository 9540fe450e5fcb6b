import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A project may be granted to another organization with some of its roles. A role of another organization's project
 * rests on such a grant, down to the single role, so that none can be stored without it, and goes with it.
 *
 * Until now both sides of every user grant belonged to one organization, so none is lost here. Audiences of other
 * organizations' projects that were given before rest on no grant; they are left out whenever a token is looked at.
 */
export class GrantProjects1763703200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE project_grants (
        id text NOT NULL DEFAULT new_id() CONSTRAINT project_grants_pkey PRIMARY KEY,
        org_id text NOT NULL,
        project_id text NOT NULL,
        granted_org_id text NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT project_grants_project FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id) ON DELETE CASCADE,
        CONSTRAINT project_grants_granted_org FOREIGN KEY (granted_org_id) REFERENCES organizations (id),
        CONSTRAINT project_grants_once UNIQUE (project_id, granted_org_id),
        CONSTRAINT project_grants_of_project UNIQUE (project_id, id),
        CONSTRAINT project_grants_to_org UNIQUE (granted_org_id, project_id, id),
        CONSTRAINT project_grants_to_another CHECK (granted_org_id <> org_id)
      )
    `);
    await runner.query(`CREATE INDEX project_grants_by_org ON project_grants (org_id)`);
    await runner.query(`
      CREATE TABLE project_grant_roles (
        project_grant_id text NOT NULL,
        project_id text NOT NULL,
        role_key text NOT NULL,
        CONSTRAINT project_grant_roles_pkey PRIMARY KEY (project_grant_id, role_key),
        CONSTRAINT project_grant_roles_grant FOREIGN KEY (project_id, project_grant_id) REFERENCES project_grants (project_id, id) ON DELETE CASCADE,
        CONSTRAINT project_grant_roles_role FOREIGN KEY (project_id, role_key) REFERENCES project_roles (project_id, key) ON DELETE CASCADE
      )
    `);
    await runner.query(
      `CREATE INDEX project_grant_roles_by_role ON project_grant_roles (project_id, role_key)`,
    );

    await runner.query(`ALTER TABLE user_grants ADD COLUMN project_org_id text`);
    await runner.query(`UPDATE user_grants SET project_org_id = org_id`);
    await runner.query(`ALTER TABLE user_grants ALTER COLUMN project_org_id SET NOT NULL`);
    await runner.query(`ALTER TABLE user_grants ADD COLUMN project_grant_id text`);
    // the same without a null, which a foreign key would not look at
    await runner.query(`ALTER TABLE user_grants ADD COLUMN rests_on text NOT NULL DEFAULT ''`);
    await runner.query(`ALTER TABLE user_grants DROP CONSTRAINT user_grants_project`);
    await runner.query(`
      ALTER TABLE user_grants
        ADD CONSTRAINT user_grants_project FOREIGN KEY (project_org_id, project_id) REFERENCES projects (org_id, id) ON DELETE CASCADE,
        ADD CONSTRAINT user_grants_project_grant FOREIGN KEY (org_id, project_id, project_grant_id)
          REFERENCES project_grants (granted_org_id, project_id, id) ON DELETE CASCADE,
        ADD CONSTRAINT user_grants_rest UNIQUE (project_id, id, rests_on),
        ADD CONSTRAINT user_grants_own_or_granted CHECK ((project_org_id = org_id) = (project_grant_id IS NULL)),
        ADD CONSTRAINT user_grants_rests_on CHECK (rests_on = coalesce(project_grant_id, ''))
    `);
    await runner.query(
      `CREATE INDEX user_grants_by_project_grant ON user_grants (project_grant_id) WHERE project_grant_id IS NOT NULL`,
    );

    await runner.query(`ALTER TABLE user_grant_roles ADD COLUMN project_grant_id text`);
    await runner.query(`ALTER TABLE user_grant_roles ADD COLUMN rests_on text NOT NULL DEFAULT ''`);
    await runner.query(`ALTER TABLE user_grant_roles DROP CONSTRAINT user_grant_roles_grant`);
    await runner.query(`
      ALTER TABLE user_grant_roles
        ADD CONSTRAINT user_grant_roles_grant FOREIGN KEY (project_id, grant_id, rests_on)
          REFERENCES user_grants (project_id, id, rests_on) ON DELETE CASCADE,
        ADD CONSTRAINT user_grant_roles_granted FOREIGN KEY (project_grant_id, role_key)
          REFERENCES project_grant_roles (project_grant_id, role_key) ON DELETE CASCADE,
        ADD CONSTRAINT user_grant_roles_rests_on CHECK (rests_on = coalesce(project_grant_id, ''))
    `);
    await runner.query(
      `CREATE INDEX user_grant_roles_by_project_grant ON user_grant_roles (project_grant_id, role_key)
       WHERE project_grant_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // there was no place for them
    await runner.query(`DELETE FROM user_grants WHERE project_grant_id IS NOT NULL`);
    await runner.query(`DROP INDEX user_grant_roles_by_project_grant`);
    await runner.query(`
      ALTER TABLE user_grant_roles
        DROP CONSTRAINT user_grant_roles_rests_on,
        DROP CONSTRAINT user_grant_roles_granted,
        DROP CONSTRAINT user_grant_roles_grant
    `);
    await runner.query(`ALTER TABLE user_grant_roles DROP COLUMN rests_on`);
    await runner.query(`ALTER TABLE user_grant_roles DROP COLUMN project_grant_id`);
    await runner.query(`
      ALTER TABLE user_grant_roles ADD CONSTRAINT user_grant_roles_grant
        FOREIGN KEY (project_id, grant_id) REFERENCES user_grants (project_id, id) ON DELETE CASCADE
    `);
    await runner.query(`DROP INDEX user_grants_by_project_grant`);
    await runner.query(`
      ALTER TABLE user_grants
        DROP CONSTRAINT user_grants_rests_on,
        DROP CONSTRAINT user_grants_own_or_granted,
        DROP CONSTRAINT user_grants_rest,
        DROP CONSTRAINT user_grants_project_grant,
        DROP CONSTRAINT user_grants_project
    `);
    await runner.query(`ALTER TABLE user_grants DROP COLUMN rests_on`);
    await runner.query(`ALTER TABLE user_grants DROP COLUMN project_grant_id`);
    await runner.query(`ALTER TABLE user_grants DROP COLUMN project_org_id`);
    await runner.query(`
      ALTER TABLE user_grants ADD CONSTRAINT user_grants_project
        FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id) ON DELETE CASCADE
    `);
    await runner.query(`DROP TABLE project_grant_roles`);
    await runner.query(`DROP TABLE project_grants`);
  }
}
