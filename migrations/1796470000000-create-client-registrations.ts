import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that register themselves (RFC 7591, 7592), and what lets them. */
export class CreateClientRegistrations1796470000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN registration text,
        ADD COLUMN allowed_scopes text[],
        ADD CONSTRAINT applications_registration CHECK (registration IN ('initial_access_token', 'anyone'))
    `);
    // whoever registers itself cannot know which names are taken, and ten editors have the same one
    await runner.query(`ALTER TABLE applications DROP CONSTRAINT applications_name_in_project`);
    await runner.query(`
      CREATE UNIQUE INDEX applications_name_in_project ON applications (project_id, name) WHERE registration IS NULL
    `);
    await runner.query(`
      CREATE INDEX applications_registered_in_project ON applications (project_id) WHERE registration IS NOT NULL
    `);
    // the name that a client has given a key of its own
    await runner.query(`ALTER TABLE application_keys ADD COLUMN client_kid text`);
    await runner.query(`
      CREATE UNIQUE INDEX application_keys_client_kid ON application_keys (application_id, client_kid)
      WHERE client_kid IS NOT NULL
    `);
    await runner.query(`
      CREATE TABLE initial_access_tokens (
        id text NOT NULL DEFAULT new_id() CONSTRAINT initial_access_tokens_pkey PRIMARY KEY,
        org_id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        token_hash bytea NOT NULL,
        most_uses integer NOT NULL,
        uses integer NOT NULL DEFAULT 0,
        expires_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT initial_access_tokens_project FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
          ON DELETE CASCADE,
        CONSTRAINT initial_access_tokens_hash UNIQUE (token_hash),
        CONSTRAINT initial_access_tokens_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT initial_access_tokens_uses CHECK (uses BETWEEN 0 AND most_uses)
      )
    `);
    await runner.query(
      `CREATE INDEX initial_access_tokens_of_org ON initial_access_tokens (org_id, project_id)`,
    );
    await runner.query(`
      CREATE TABLE client_registrations (
        application_id text NOT NULL CONSTRAINT client_registrations_pkey PRIMARY KEY,
        org_id text NOT NULL,
        token_hash bytea NOT NULL,
        metadata jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT client_registrations_application FOREIGN KEY (org_id, application_id)
          REFERENCES applications (org_id, id)
          ON DELETE CASCADE
      )
    `);
    await runner.query(`CREATE INDEX client_registrations_expiry ON client_registrations (expires_at)`);
    await runner.query(`CREATE INDEX client_registrations_of_org ON client_registrations (org_id)`);
    // that a user lets an application sign them in which nobody here vouches for, and with which scopes
    await runner.query(`
      ALTER TABLE consents
        ADD COLUMN scopes text[] NOT NULL DEFAULT '{}',
        DROP CONSTRAINT consents_access,
        ADD CONSTRAINT consents_access CHECK (access IN ('none', 'organization', 'instance'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM consents WHERE access = 'none'`);
    await runner.query(`
      ALTER TABLE consents
        DROP CONSTRAINT consents_access,
        ADD CONSTRAINT consents_access CHECK (access IN ('organization', 'instance')),
        DROP COLUMN scopes
    `);
    await runner.query(`DROP TABLE client_registrations`);
    await runner.query(`DROP TABLE initial_access_tokens`);
    await runner.query(`DROP INDEX application_keys_client_kid`);
    await runner.query(`ALTER TABLE application_keys DROP COLUMN client_kid`);
    await runner.query(`DELETE FROM applications WHERE registration IS NOT NULL`);
    await runner.query(`DROP INDEX applications_registered_in_project`);
    await runner.query(`DROP INDEX applications_name_in_project`);
    await runner.query(`
      ALTER TABLE applications
        ADD CONSTRAINT applications_name_in_project UNIQUE (project_id, name),
        DROP CONSTRAINT applications_registration,
        DROP COLUMN allowed_scopes,
        DROP COLUMN registration
    `);
  }
}
