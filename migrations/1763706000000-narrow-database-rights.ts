import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * API and workers may run as a role that owns nothing. What maintenance does to the audit log's tables is done by
 * functions that act as their owner, with a search path that nobody else can put tables or functions into: that role
 * makes months and drops those that are over by policy, and can neither change nor delete an event by itself.
 */
export class NarrowDatabaseRights1763706000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_event_partitions(retention interval, most integer) RETURNS SETOF text
      LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
      DECLARE
        partition text;
      BEGIN
        ${REFUSE_SHORT_RETENTION}
        PERFORM pg_advisory_xact_lock(hashtext('events partitions'));
        FOR partition IN ${MONTHS_THAT_ARE_OVER}
        LOOP
          EXECUTE format('DROP TABLE %I', partition);
          RETURN NEXT partition;
        END LOOP;
      END
      $$
    `);
    // the default partition has what was written while nobody made months
    await runner.query(`
      CREATE FUNCTION remove_stray_events(retention interval, most integer) RETURNS bigint
      LANGUAGE plpgsql AS $$
      DECLARE
        removed bigint;
      BEGIN
        ${REFUSE_SHORT_RETENTION}
        WITH doomed AS MATERIALIZED (
          SELECT created_at, position FROM events_default
          WHERE created_at < (SELECT app_now()) - retention LIMIT most FOR UPDATE SKIP LOCKED
        )
        DELETE FROM events_default e USING doomed d WHERE e.created_at = d.created_at AND e.position = d.position;
        GET DIAGNOSTICS removed = ROW_COUNT;
        RETURN removed;
      END
      $$
    `);
    // pg_catalog is looked into first where it is not named; named first, it would be where new tables go
    for (const definer of DEFINERS) {
      await runner.query(`ALTER FUNCTION ${definer} SECURITY DEFINER`);
      await runner.query(`
        DO $$ BEGIN
          EXECUTE format('ALTER FUNCTION ${definer} SET search_path = %I, pg_temp', current_schema());
        END $$
      `);
      await runner.query(`REVOKE EXECUTE ON FUNCTION ${definer} FROM PUBLIC`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION remove_stray_events(interval, integer)`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_event_partitions(retention interval, most integer) RETURNS SETOF text
      LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
      DECLARE
        partition text;
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtext('events partitions'));
        FOR partition IN ${MONTHS_THAT_ARE_OVER}
        LOOP
          EXECUTE format('DROP TABLE %I', partition);
          RETURN NEXT partition;
        END LOOP;
      END
      $$
    `);
    await runner.query(`ALTER FUNCTION ensure_event_partitions() SECURITY INVOKER RESET search_path`);
    await runner.query(`GRANT EXECUTE ON FUNCTION ensure_event_partitions() TO PUBLIC`);
    await runner.query(`GRANT EXECUTE ON FUNCTION drop_event_partitions(interval, integer) TO PUBLIC`);
  }
}

const DEFINERS = [
  'ensure_event_partitions()',
  'drop_event_partitions(interval, integer)',
  'remove_stray_events(interval, integer)',
];

/** What EVENT_RETENTION can be at least: whoever has the service's password still cannot empty the log. */
const REFUSE_SHORT_RETENTION = `IF retention < interval '30 days' THEN
          RAISE EXCEPTION 'events are kept for 30 days at least';
        END IF;`;

const MONTHS_THAT_ARE_OVER = `
          SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
          WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_[0-9]{4}_[0-9]{2}$'
            AND (to_date(substr(c.relname, 8), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
              <= app_now() - retention
          ORDER BY c.relname LIMIT most`;
