import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks: where events go, how far each has got in the log, and what could not be delivered. Writing an event touches none of
 * these tables.
 */
export class CreateWebhooks1796430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id text NOT NULL DEFAULT new_id() CONSTRAINT webhooks_pkey PRIMARY KEY,
        org_id text,
        name text NOT NULL,
        url text NOT NULL,
        event_types text[] NOT NULL,
        state text NOT NULL DEFAULT 'active',
        secret_sealed bytea,
        data_key_id integer,
        former_secret_sealed bytea,
        former_data_key_id integer,
        former_secret_until timestamptz,
        cursor_at timestamptz NOT NULL DEFAULT app_now(),
        cursor_position bigint NOT NULL DEFAULT 0,
        fence bigint NOT NULL DEFAULT 0,
        claimed_until timestamptz,
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT app_now(),
        failures integer NOT NULL DEFAULT 0,
        last_error text,
        last_delivered_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT webhooks_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT webhooks_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT webhooks_former_data_key FOREIGN KEY (former_data_key_id) REFERENCES data_keys (id),
        CONSTRAINT webhooks_name CHECK (char_length(name) BETWEEN 1 AND 200),
        CONSTRAINT webhooks_url CHECK (char_length(url) BETWEEN 1 AND 2000),
        CONSTRAINT webhooks_event_types CHECK (cardinality(event_types) BETWEEN 1 AND 50),
        CONSTRAINT webhooks_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT webhooks_sealed CHECK ((secret_sealed IS NULL) = (data_key_id IS NULL)),
        CONSTRAINT webhooks_former CHECK (num_nulls(former_secret_sealed, former_data_key_id, former_secret_until) IN (0, 3))
      )
    `);
    await runner.query(`CREATE INDEX webhooks_of_org ON webhooks (org_id, created_at)`);
    await runner.query(`
      CREATE TABLE webhook_dead_letters (
        id text NOT NULL DEFAULT new_id() CONSTRAINT webhook_dead_letters_pkey PRIMARY KEY,
        webhook_id text NOT NULL,
        event_at timestamptz NOT NULL,
        event_position bigint NOT NULL,
        event_type text NOT NULL,
        state text NOT NULL DEFAULT 'dead',
        reason text NOT NULL,
        attempts integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT webhook_dead_letters_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE,
        CONSTRAINT webhook_dead_letters_event UNIQUE (webhook_id, event_at, event_position),
        CONSTRAINT webhook_dead_letters_state CHECK (state IN ('dead', 'queued'))
      )
    `);
    await runner.query(`CREATE INDEX webhook_dead_letters_by_age ON webhook_dead_letters (created_at)`);
    await runner.query(
      `CREATE INDEX webhook_dead_letters_queued ON webhook_dead_letters (webhook_id) WHERE state = 'queued'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE webhook_dead_letters`);
    await runner.query(`DROP TABLE webhooks`);
  }
}
