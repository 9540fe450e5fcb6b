import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * These functions act as the owner of the tables, whoever calls them. pg_catalog is looked into first, yet a function or an operator
 * of somebody who may create in the schema wins where it fits the types better: `substr(name, integer)`, `name ~ name`,
 * `pg_advisory_xact_lock(integer)`. So every function is named with its schema, and every operator has the very types of the one in
 * pg_catalog.
 *
 * pg_catalog stays unnamed in their search path, where it comes first: named first, it would be where new tables go.
 */
export class NameTypesInDefiners1796789000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION ensure_event_partitions() RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        first_day timestamptz;
        partition text;
      BEGIN
        PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('events partitions'::text)::bigint);
        FOR months IN 0..3 LOOP
          first_day := (pg_catalog.date_trunc('month'::text, pg_catalog.clock_timestamp() AT TIME ZONE 'UTC'::text) + pg_catalog.make_interval(months => months))
                       AT TIME ZONE 'UTC'::text;
          partition := 'events_'::text || pg_catalog.to_char(first_day AT TIME ZONE 'UTC'::text, 'YYYY_MM'::text);
          -- a month that already has rows in the default partition stays there: moving them would lock the log
          IF pg_catalog.to_regclass(partition) IS NULL
             AND NOT EXISTS (SELECT FROM events_default e
                             WHERE e.created_at >= first_day
                               AND e.created_at < (first_day AT TIME ZONE 'UTC'::text + interval '1 month') AT TIME ZONE 'UTC'::text)
          THEN
            EXECUTE pg_catalog.format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)', partition,
              first_day, (first_day AT TIME ZONE 'UTC'::text + interval '1 month') AT TIME ZONE 'UTC'::text);
          END IF;
        END LOOP;
      END
      $$
    `);
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_event_partitions(retention interval, most integer) RETURNS SETOF text
      LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
      DECLARE
        partition text;
      BEGIN
        IF retention < interval '30 days' THEN
          RAISE EXCEPTION 'events are kept for 30 days at least';
        END IF;
        PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('events partitions'::text)::bigint);
        FOR partition IN
          SELECT month.name FROM (
            SELECT c.relname::text AS name FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'events'::regclass::oid) AS month
          WHERE month.name ~ '^events_[0-9]{4}_[0-9]{2}$'::text
            AND (pg_catalog.to_date(pg_catalog.substr(month.name, 8), 'YYYY_MM'::text)::timestamp + interval '1 month') AT TIME ZONE 'UTC'::text
              <= app_now() - retention
          ORDER BY month.name LIMIT most
        LOOP
          EXECUTE pg_catalog.format('DROP TABLE %I', partition);
          RETURN NEXT partition;
        END LOOP;
      END
      $$
    `);
    // a new definition takes away what was set for the old one
    for (const definer of ['ensure_event_partitions()', 'drop_event_partitions(interval, integer)']) {
      await runner.query(`ALTER FUNCTION ${definer} SECURITY DEFINER`);
      await runner.query(`
        DO $$ BEGIN
          EXECUTE format('ALTER FUNCTION ${definer} SET search_path = %I, pg_temp', current_schema());
        END $$
      `);
    }
  }

  /** They do what they did before. */
  async down(): Promise<void> {}
}
