import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a key takes over and when it may go stands with the key; how often keys change stands in one row. Both survive
 * whatever happens to the queue.
 */
export class RotateKeys1763701700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_schedule (
        id boolean CONSTRAINT key_schedule_pkey PRIMARY KEY DEFAULT true,
        rotation_seconds integer NOT NULL DEFAULT 7776000,
        lead_seconds integer NOT NULL DEFAULT 86400,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT key_schedule_one_row CHECK (id),
        CONSTRAINT key_schedule_rotation CHECK (rotation_seconds >= 0),
        CONSTRAINT key_schedule_lead CHECK (lead_seconds > 0)
      )
    `);
    await runner.query(`INSERT INTO key_schedule DEFAULT VALUES`);
    await runner.query(`
      CREATE TABLE key_set_readers (
        reader bytea CONSTRAINT key_set_readers_pkey PRIMARY KEY,
        reads bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        last_read_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
    await runner.query(`CREATE INDEX key_set_readers_by_time ON key_set_readers (last_read_at)`);
    await runner.query(`
      ALTER TABLE signing_keys
        ADD COLUMN activates_at timestamptz,
        ADD COLUMN retires_at timestamptz,
        ADD COLUMN removed_at timestamptz,
        ADD COLUMN sequence bigint NOT NULL DEFAULT 1,
        ADD COLUMN changed_at timestamptz NOT NULL DEFAULT app_now()
    `);
    await runner.query(`
      ALTER TABLE token_keys
        ADD COLUMN activates_at timestamptz,
        ADD COLUMN current_since timestamptz,
        ADD COLUMN previous_since timestamptz,
        ADD COLUMN retires_at timestamptz,
        ADD COLUMN gone_at timestamptz,
        ADD COLUMN removed_at timestamptz,
        ADD COLUMN sequence bigint NOT NULL DEFAULT 1,
        ADD COLUMN changed_at timestamptz NOT NULL DEFAULT app_now()
    `);
    await runner.query(`UPDATE token_keys SET current_since = created_at WHERE state = 'current'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE token_keys
        DROP COLUMN activates_at, DROP COLUMN current_since, DROP COLUMN previous_since, DROP COLUMN retires_at,
        DROP COLUMN gone_at, DROP COLUMN removed_at, DROP COLUMN sequence, DROP COLUMN changed_at
    `);
    await runner.query(`
      ALTER TABLE signing_keys
        DROP COLUMN activates_at, DROP COLUMN retires_at, DROP COLUMN removed_at, DROP COLUMN sequence,
        DROP COLUMN changed_at
    `);
    await runner.query(`DROP TABLE key_set_readers`);
    await runner.query(`DROP TABLE key_schedule`);
  }
}
