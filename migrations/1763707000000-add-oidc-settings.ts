import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the instance decided about the lifetimes of tokens. No row, and null, stand for what the environment says. */
export class AddOidcSettings1763707000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oidc_settings (
        id boolean NOT NULL DEFAULT true,
        access_token_seconds integer,
        id_token_seconds integer,
        refresh_idle_seconds integer,
        refresh_absolute_seconds integer,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT oidc_settings_pkey PRIMARY KEY (id),
        CONSTRAINT oidc_settings_one_row CHECK (id),
        CONSTRAINT oidc_settings_access_token CHECK (access_token_seconds BETWEEN 60 AND 2592000),
        CONSTRAINT oidc_settings_id_token CHECK (id_token_seconds BETWEEN 60 AND 2592000),
        CONSTRAINT oidc_settings_refresh_idle CHECK (refresh_idle_seconds BETWEEN 300 AND 31536000),
        CONSTRAINT oidc_settings_refresh_absolute CHECK (refresh_absolute_seconds BETWEEN 300 AND 31536000)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE oidc_settings`);
  }
}
