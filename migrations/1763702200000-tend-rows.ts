import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What upkeep needs to find rows that nobody uses any more, and to drop months of the audit log by policy; how an
 * application's logout endpoint has fared; and a word to every replica when keys change.
 */
export class TendRows1763702200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX sessions_by_age ON sessions (created_at) WHERE ended_at IS NULL`);
    await runner.query(`CREATE INDEX grants_by_age ON grants (created_at)`);
    await runner.query(`CREATE INDEX grants_by_ties ON grants USING gin (ties) WHERE ties IS NOT NULL`);
    await runner.query(
      `CREATE INDEX logout_notices_unfinished ON logout_notices (created_at) WHERE finished_at IS NULL`,
    );
    await runner.query(`
      CREATE TABLE upkeep_walks (
        kind text CONSTRAINT upkeep_walks_pkey PRIMARY KEY,
        walked_to timestamptz NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
    await runner.query(`
      CREATE FUNCTION drop_event_partitions(retention interval, most integer) RETURNS SETOF text
      LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
      DECLARE
        partition text;
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtext('events partitions'));
        FOR partition IN
          SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
          WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_[0-9]{4}_[0-9]{2}$'
            AND (to_date(substr(c.relname, 8), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
              <= app_now() - retention
          ORDER BY c.relname LIMIT most
        LOOP
          EXECUTE format('DROP TABLE %I', partition);
          RETURN NEXT partition;
        END LOOP;
      END
      $$
    `);
    await runner.query(`
      CREATE TABLE logout_endpoints (
        application_id text CONSTRAINT logout_endpoints_pkey PRIMARY KEY,
        uri text NOT NULL,
        failures integer NOT NULL,
        failing_since timestamptz NOT NULL DEFAULT app_now(),
        next_try_at timestamptz NOT NULL,
        CONSTRAINT logout_endpoints_application FOREIGN KEY (application_id) REFERENCES applications (id)
          ON DELETE CASCADE,
        CONSTRAINT logout_endpoints_failures CHECK (failures > 0)
      )
    `);
    await runner.query(`
      CREATE FUNCTION announce_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('keys', '');
        RETURN NULL;
      END
      $$
    `);
    for (const table of ['signing_keys', 'token_keys', 'key_schedule']) {
      await runner.query(`
        CREATE TRIGGER ${table}_announce AFTER INSERT OR UPDATE OR DELETE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION announce_keys()
      `);
    }
    await runner.query(`
      ALTER TABLE applications ADD COLUMN id_token_algorithm text,
        ADD CONSTRAINT applications_id_token_algorithm CHECK (id_token_algorithm IN ('RS256', 'ES256', 'EdDSA'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE applications DROP COLUMN id_token_algorithm`);
    for (const table of ['signing_keys', 'token_keys', 'key_schedule']) {
      await runner.query(`DROP TRIGGER ${table}_announce ON ${table}`);
    }
    await runner.query(`DROP FUNCTION announce_keys()`);
    await runner.query(`DROP TABLE logout_endpoints`);
    await runner.query(`DROP FUNCTION drop_event_partitions(interval, integer)`);
    await runner.query(`DROP TABLE upkeep_walks`);
    await runner.query(`DROP INDEX logout_notices_unfinished`);
    await runner.query(`DROP INDEX grants_by_ties`);
    await runner.query(`DROP INDEX grants_by_age`);
    await runner.query(`DROP INDEX sessions_by_age`);
  }
}
