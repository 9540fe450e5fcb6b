import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bulk imports. An import is made while its file is received; its records wait in sealed chunks. What a chunk did is
 * written in the transaction that did it, which also drops what it was made from: progress is never ahead of the users, and
 * no copy of the file outlives the import. Whole organizations are chunks like users are, taken up one pass after the other.
 *
 * An upload holds a lease (`reading_until`), so that one whose process died is found within a minute. An import knows the
 * personal access token that it was asked for with, whose end is its own; and who took its users out again or had its
 * messages sent, which need not be who made it. `bytes_expected` is what its sender announced, null where they did not.
 */
export class CreateImports1764001200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE imports (
        id text NOT NULL,
        org_id text NOT NULL,
        instance_wide boolean NOT NULL DEFAULT false,
        created_by text NOT NULL,
        caller_key bytea,
        state text NOT NULL DEFAULT 'reading',
        reason text,
        format text NOT NULL,
        mode text NOT NULL,
        dry_run boolean NOT NULL DEFAULT false,
        notify text NOT NULL,
        initial_state text,
        update_passwords boolean NOT NULL DEFAULT false,
        file_name text,
        bytes_received bigint NOT NULL DEFAULT 0,
        records_total integer,
        checksum bytea,
        retry_of text,
        undo_state text,
        notify_state text,
        started_at timestamptz,
        finished_at timestamptz,
        expires_at timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        reading_until timestamptz,
        token_id text,
        undone_by text,
        notified_by text,
        created_through text,
        undone_through text,
        notified_through text,
        bytes_stored bigint NOT NULL DEFAULT 0,
        bytes_held bigint NOT NULL DEFAULT 0,
        bytes_expected bigint,
        bytes_arrived bigint NOT NULL DEFAULT 0,
        CONSTRAINT imports_pkey PRIMARY KEY (id),
        CONSTRAINT imports_in_org UNIQUE (org_id, id),
        CONSTRAINT imports_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        CONSTRAINT imports_state CHECK (state IN
          ('reading', 'queued', 'running', 'paused', 'cancelling', 'cancelled', 'failed', 'done', 'undone')),
        CONSTRAINT imports_format CHECK (format IN ('json', 'ndjson', 'csv')),
        CONSTRAINT imports_mode CHECK (mode IN ('insert', 'skip', 'upsert')),
        CONSTRAINT imports_notify CHECK (notify IN ('now', 'deferred', 'none')),
        CONSTRAINT imports_initial_state CHECK (initial_state IN ('active', 'initial', 'inactive', 'locked')),
        CONSTRAINT imports_undo_state CHECK (undo_state IN ('running', 'done')),
        CONSTRAINT imports_notify_state CHECK (notify_state IN ('running', 'done')),
        CONSTRAINT imports_finished CHECK
          ((state IN ('cancelled', 'failed', 'done', 'undone')) = (finished_at IS NOT NULL))
      )
    `);
    await runner.query(`CREATE INDEX imports_listed ON imports (org_id, created_at, id)`);
    await runner.query(`CREATE INDEX imports_expiry ON imports (expires_at)`);
    await runner.query(`
      CREATE INDEX imports_unfinished ON imports (org_id, state)
      WHERE state IN ('reading', 'queued', 'running', 'paused', 'cancelling')
    `);
    await runner.query(`
      CREATE INDEX imports_post_import ON imports (id)
      WHERE undo_state = 'running' OR notify_state = 'running'
    `);
    await runner.query(`CREATE INDEX imports_held ON imports (org_id, bytes_held) WHERE bytes_held > 0`);
    await runner.query(`
      CREATE UNIQUE INDEX imports_once ON imports (org_id, created_by, caller_key)
      WHERE caller_key IS NOT NULL
    `);
    await runner.query(`
      CREATE TABLE import_chunks (
        import_id text NOT NULL,
        org_id text NOT NULL,
        number integer NOT NULL,
        first_line integer NOT NULL,
        records integer NOT NULL,
        records_org_id text,
        state text NOT NULL DEFAULT 'pending',
        fence bigint NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        claimed_until timestamptz,
        payload bytea,
        results bytea,
        failed_payload bytea,
        data_key_id integer,
        created integer NOT NULL DEFAULT 0,
        updated integer NOT NULL DEFAULT 0,
        skipped integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        weak integer NOT NULL DEFAULT 0,
        removed integer,
        kept integer,
        notified boolean NOT NULL DEFAULT false,
        started_at timestamptz,
        finished_at timestamptz,
        pass integer NOT NULL DEFAULT 50,
        totp_secrets integer NOT NULL DEFAULT 0,
        held integer NOT NULL DEFAULT 0,
        CONSTRAINT import_chunks_pkey PRIMARY KEY (import_id, number),
        CONSTRAINT import_chunks_import FOREIGN KEY (org_id, import_id)
          REFERENCES imports (org_id, id) ON DELETE CASCADE,
        CONSTRAINT import_chunks_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT import_chunks_state CHECK (state IN
          ('pending', 'queued', 'running', 'done', 'split', 'cancelled')),
        CONSTRAINT import_chunks_outcomes CHECK
          (state <> 'done' OR created + updated + skipped + failed = records),
        CONSTRAINT import_chunks_payload CHECK ((state IN ('pending', 'queued', 'running')) = (payload IS NOT NULL)),
        CONSTRAINT import_chunks_sealed CHECK
          (data_key_id IS NOT NULL OR (payload IS NULL AND results IS NULL AND failed_payload IS NULL))
      )
    `);
    // sealed bytes do not get smaller: trying would only take time
    for (const column of ['payload', 'results', 'failed_payload']) {
      await runner.query(`ALTER TABLE import_chunks ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    }
    await runner.query(`
      CREATE INDEX import_chunks_unfinished ON import_chunks (org_id, state, import_id, pass, number)
      WHERE state IN ('pending', 'queued', 'running')
    `);
    await runner.query(`
      CREATE TABLE import_names (
        import_id text NOT NULL,
        hash bigint NOT NULL,
        CONSTRAINT import_names_pkey PRIMARY KEY (import_id, hash),
        CONSTRAINT import_names_import FOREIGN KEY (import_id) REFERENCES imports (id) ON DELETE CASCADE
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['import_names', 'import_chunks', 'imports']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
