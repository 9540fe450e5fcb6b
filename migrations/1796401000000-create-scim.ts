import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SCIM 2.0: the tokens that directories come with, and the ids by which those know users and groups. */
export class CreateScim1796401000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE scim_tokens (
        id text NOT NULL DEFAULT new_id() CONSTRAINT scim_tokens_pkey PRIMARY KEY,
        org_id text NOT NULL,
        name text NOT NULL,
        token_hash bytea NOT NULL,
        project_id text,
        trusts_emails boolean NOT NULL DEFAULT false,
        expires_at timestamptz,
        last_used_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT scim_tokens_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        -- without its project a token still provisions users, and has no groups
        CONSTRAINT scim_tokens_project FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
          ON DELETE SET NULL (project_id),
        CONSTRAINT scim_tokens_hash UNIQUE (token_hash),
        CONSTRAINT scim_tokens_name CHECK (char_length(name) BETWEEN 1 AND 200)
      )
    `);
    await runner.query(`CREATE INDEX scim_tokens_of_org ON scim_tokens (org_id)`);
    await runner.query(`
      CREATE TABLE provisioned_users (
        user_id text NOT NULL CONSTRAINT provisioned_users_pkey PRIMARY KEY,
        org_id text NOT NULL,
        external_id text,
        user_name text NOT NULL,
        CONSTRAINT provisioned_users_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT provisioned_users_external_id UNIQUE (org_id, external_id),
        CONSTRAINT provisioned_users_external_id_length CHECK (char_length(external_id) BETWEEN 1 AND 200)
      )
    `);
    await runner.query(`
      CREATE TABLE provisioned_groups (
        project_id text NOT NULL,
        role_key text NOT NULL,
        org_id text NOT NULL,
        external_id text NOT NULL,
        CONSTRAINT provisioned_groups_pkey PRIMARY KEY (project_id, role_key),
        CONSTRAINT provisioned_groups_role FOREIGN KEY (project_id, role_key)
          REFERENCES project_roles (project_id, key) ON DELETE CASCADE,
        CONSTRAINT provisioned_groups_external_id UNIQUE (org_id, external_id),
        CONSTRAINT provisioned_groups_external_id_length CHECK (char_length(external_id) BETWEEN 1 AND 200)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE provisioned_groups`);
    await runner.query(`DROP TABLE provisioned_users`);
    await runner.query(`DROP TABLE scim_tokens`);
  }
}
