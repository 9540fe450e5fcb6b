import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is asked for claims when tokens are issued: of an organization, for those of its applications that say so. */
export class CreateClaimsWebhooks1796430100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE claims_webhooks (
        org_id text NOT NULL CONSTRAINT claims_webhooks_pkey PRIMARY KEY,
        url text NOT NULL,
        timeout_seconds integer NOT NULL DEFAULT 1,
        on_failure text NOT NULL DEFAULT 'issue',
        secret_sealed bytea NOT NULL,
        data_key_id integer NOT NULL,
        former_secret_sealed bytea,
        former_data_key_id integer,
        former_secret_until timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT claims_webhooks_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT claims_webhooks_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT claims_webhooks_former_data_key FOREIGN KEY (former_data_key_id) REFERENCES data_keys (id),
        CONSTRAINT claims_webhooks_url CHECK (char_length(url) BETWEEN 1 AND 2000),
        CONSTRAINT claims_webhooks_timeout CHECK (timeout_seconds BETWEEN 1 AND 3),
        CONSTRAINT claims_webhooks_on_failure CHECK (on_failure IN ('issue', 'refuse')),
        CONSTRAINT claims_webhooks_former CHECK
          (num_nulls(former_secret_sealed, former_data_key_id, former_secret_until) IN (0, 3))
      )
    `);
    await runner.query(`ALTER TABLE applications ADD COLUMN claims_webhook boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN claims_webhook`);
    await runner.query(`DROP TABLE claims_webhooks`);
  }
}
