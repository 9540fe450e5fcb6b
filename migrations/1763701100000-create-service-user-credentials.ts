import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What service users prove themselves with beside personal access tokens: a secret, keys, and used assertions. */
export class CreateServiceUserCredentials1763701100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE user_machines ADD COLUMN secret_hash bytea`);
    await runner.query(`
      CREATE TABLE machine_keys (
        id text NOT NULL DEFAULT new_id() CONSTRAINT machine_keys_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        public_jwk jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT machine_keys_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT machine_keys_public CHECK (NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[]))
      )
    `);
    await runner.query(`CREATE INDEX machine_keys_by_user ON machine_keys (org_id, user_id)`);
    await runner.query(`
      CREATE TABLE used_grant_assertions (
        hash bytea NOT NULL CONSTRAINT used_grant_assertions_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query(`CREATE INDEX used_grant_assertions_expiry ON used_grant_assertions (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE used_grant_assertions`);
    await runner.query(`DROP TABLE machine_keys`);
    await runner.query(`ALTER TABLE user_machines DROP COLUMN secret_hash`);
  }
}
