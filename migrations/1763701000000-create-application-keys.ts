import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Public keys of applications for private_key_jwt (RFC 7523), and the assertions that were used up. */
export class CreateApplicationKeys1763701000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE applications ADD COLUMN assertion_issuer_only boolean NOT NULL DEFAULT false`,
    );
    await runner.query(`
      CREATE TABLE application_keys (
        id text NOT NULL DEFAULT new_id() CONSTRAINT application_keys_pkey PRIMARY KEY,
        org_id text NOT NULL,
        application_id text NOT NULL,
        public_jwk jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT application_keys_application FOREIGN KEY (org_id, application_id)
          REFERENCES applications (org_id, id) ON DELETE CASCADE,
        CONSTRAINT application_keys_public CHECK (NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[]))
      )
    `);
    await runner.query(
      `CREATE INDEX application_keys_by_application ON application_keys (org_id, application_id)`,
    );
    await runner.query(`
      CREATE TABLE used_assertions (
        hash bytea NOT NULL CONSTRAINT used_assertions_pkey PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query(`CREATE INDEX used_assertions_expiry ON used_assertions (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE used_assertions`);
    await runner.query(`DROP TABLE application_keys`);
    await runner.query(`ALTER TABLE applications DROP COLUMN assertion_issuer_only`);
  }
}
