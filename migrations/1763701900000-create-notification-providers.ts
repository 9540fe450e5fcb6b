import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who carries mail and SMS out, for the whole instance. */
export class CreateNotificationProviders1763701900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notification_providers (
        id text CONSTRAINT notification_providers_pkey PRIMARY KEY DEFAULT new_id(),
        name text NOT NULL,
        kind text NOT NULL,
        channel text NOT NULL,
        state text NOT NULL DEFAULT 'inactive',
        priority integer NOT NULL,
        rate_per_second integer,
        connections integer NOT NULL,
        settings jsonb NOT NULL,
        secret_sealed bytea,
        data_key_id integer,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT notification_providers_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT notification_providers_kind CHECK (
          (kind = 'smtp' AND channel = 'email') OR (kind IN ('twilio_messages', 'twilio_verify') AND channel = 'sms')
          OR (kind = 'http' AND channel IN ('email', 'sms'))),
        CONSTRAINT notification_providers_state CHECK (state IN ('active', 'inactive')),
        CONSTRAINT notification_providers_limits CHECK (rate_per_second > 0 AND connections > 0),
        CONSTRAINT notification_providers_settings CHECK (jsonb_typeof(settings) = 'object'),
        CONSTRAINT notification_providers_sealed CHECK ((secret_sealed IS NULL) = (data_key_id IS NULL))
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE notification_providers`);
  }
}
