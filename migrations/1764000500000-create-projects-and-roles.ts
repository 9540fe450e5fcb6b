import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Projects with their roles, and who holds them.
 *
 * A project may be granted to another organization with some of its roles. A role of another organization's project rests
 * on such a grant, down to the single role, so that none can be stored without it, and goes with it.
 */
export class CreateProjectsAndRoles1764000500000 implements MigrationInterface {
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
      CREATE TRIGGER projects_claim_id AFTER INSERT ON projects
      FOR EACH ROW EXECUTE FUNCTION claim_own_id('project')
    `);
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
    await runner.query(`
      CREATE TRIGGER project_grants_claim_id AFTER INSERT ON project_grants
      FOR EACH ROW EXECUTE FUNCTION claim_own_id('project_grant')
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
    // `rests_on` is the project grant without a null, which a foreign key would not look at
    await runner.query(`
      CREATE TABLE role_assignments (
        id text NOT NULL DEFAULT new_id() CONSTRAINT role_assignments_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        project_id text NOT NULL,
        state text NOT NULL DEFAULT 'active',
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        project_org_id text NOT NULL,
        project_grant_id text,
        rests_on text NOT NULL DEFAULT '',
        CONSTRAINT role_assignments_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT role_assignments_project FOREIGN KEY (project_org_id, project_id)
          REFERENCES projects (org_id, id) ON DELETE CASCADE,
        CONSTRAINT role_assignments_once UNIQUE (user_id, project_id),
        CONSTRAINT role_assignments_of_project UNIQUE (project_id, id),
        CONSTRAINT role_assignments_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT role_assignments_project_grant FOREIGN KEY (org_id, project_id, project_grant_id)
          REFERENCES project_grants (granted_org_id, project_id, id) ON DELETE CASCADE,
        CONSTRAINT role_assignments_rest UNIQUE (project_id, id, rests_on),
        CONSTRAINT role_assignments_own_or_granted CHECK ((project_org_id = org_id) = (project_grant_id IS NULL)),
        CONSTRAINT role_assignments_rests_on CHECK (rests_on = coalesce(project_grant_id, ''))
      )
    `);
    await runner.query(`
      CREATE INDEX role_assignments_by_project_grant ON role_assignments (project_grant_id)
      WHERE project_grant_id IS NOT NULL
    `);
    // a role that goes takes itself out of every assignment
    await runner.query(`
      CREATE TABLE role_assignment_roles (
        role_assignment_id text NOT NULL,
        project_id text NOT NULL,
        role_key text NOT NULL,
        project_grant_id text,
        rests_on text NOT NULL DEFAULT '',
        CONSTRAINT role_assignment_roles_pkey PRIMARY KEY (role_assignment_id, role_key),
        CONSTRAINT role_assignment_roles_role FOREIGN KEY (project_id, role_key) REFERENCES project_roles (project_id, key) ON DELETE CASCADE,
        CONSTRAINT role_assignment_roles_assignment FOREIGN KEY (project_id, role_assignment_id, rests_on)
          REFERENCES role_assignments (project_id, id, rests_on) ON DELETE CASCADE,
        CONSTRAINT role_assignment_roles_granted FOREIGN KEY (project_grant_id, role_key)
          REFERENCES project_grant_roles (project_grant_id, role_key) ON DELETE CASCADE,
        CONSTRAINT role_assignment_roles_rests_on CHECK (rests_on = coalesce(project_grant_id, ''))
      )
    `);
    await runner.query(
      `CREATE INDEX role_assignment_roles_by_role ON role_assignment_roles (project_id, role_key)`,
    );
    await runner.query(`
      CREATE INDEX role_assignment_roles_by_project_grant ON role_assignment_roles (project_grant_id, role_key)
      WHERE project_grant_id IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'role_assignment_roles',
      'role_assignments',
      'project_grant_roles',
      'project_grants',
      'project_roles',
      'projects',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
