import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bulk imports. A job is made while its file is received; its records wait in sealed chunks. What a chunk did is
 * written in the transaction that did it, which also drops what it was made from: progress is never ahead of the
 * users, and no copy of the file outlives the import.
 */
export class CreateImports1763701600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_jobs (
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
        CONSTRAINT import_jobs_pkey PRIMARY KEY (id),
        CONSTRAINT import_jobs_in_org UNIQUE (org_id, id),
        CONSTRAINT import_jobs_org FOREIGN KEY (org_id) REFERENCES organizations (id),
        CONSTRAINT import_jobs_state CHECK (state IN
          ('reading', 'queued', 'running', 'paused', 'cancelling', 'cancelled', 'failed', 'done', 'undone')),
        CONSTRAINT import_jobs_format CHECK (format IN ('json', 'ndjson', 'csv')),
        CONSTRAINT import_jobs_mode CHECK (mode IN ('insert', 'skip', 'upsert')),
        CONSTRAINT import_jobs_notify CHECK (notify IN ('now', 'deferred', 'none')),
        CONSTRAINT import_jobs_initial_state CHECK (initial_state IN ('active', 'initial', 'inactive', 'locked')),
        CONSTRAINT import_jobs_undo_state CHECK (undo_state IN ('running', 'done')),
        CONSTRAINT import_jobs_notify_state CHECK (notify_state IN ('running', 'done')),
        CONSTRAINT import_jobs_finished CHECK
          ((state IN ('cancelled', 'failed', 'done', 'undone')) = (finished_at IS NOT NULL))
      )
    `);
    await runner.query(`CREATE INDEX import_jobs_listed ON import_jobs (org_id, created_at, id)`);
    await runner.query(`CREATE INDEX import_jobs_expiry ON import_jobs (expires_at)`);
    await runner.query(`
      CREATE INDEX import_jobs_unfinished ON import_jobs (org_id, state)
      WHERE state IN ('reading', 'queued', 'running', 'paused', 'cancelling')
    `);
    await runner.query(`
      CREATE UNIQUE INDEX import_jobs_once ON import_jobs (org_id, created_by, caller_key)
      WHERE caller_key IS NOT NULL
    `);
    await runner.query(`
      CREATE TABLE import_chunks (
        job_id text NOT NULL,
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
        CONSTRAINT import_chunks_pkey PRIMARY KEY (job_id, number),
        CONSTRAINT import_chunks_job FOREIGN KEY (org_id, job_id)
          REFERENCES import_jobs (org_id, id) ON DELETE CASCADE,
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
      CREATE INDEX import_chunks_unfinished ON import_chunks (org_id, state, job_id, number)
      WHERE state IN ('pending', 'queued', 'running')
    `);
    await runner.query(`
      CREATE TABLE import_names (
        job_id text NOT NULL,
        hash bigint NOT NULL,
        CONSTRAINT import_names_pkey PRIMARY KEY (job_id, hash),
        CONSTRAINT import_names_job FOREIGN KEY (job_id) REFERENCES import_jobs (id) ON DELETE CASCADE
      )
    `);
    await runner.query(`
      CREATE TABLE user_totp_secrets (
        user_id text NOT NULL,
        org_id text NOT NULL,
        secret_sealed bytea NOT NULL,
        data_key_id integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_totp_secrets_pkey PRIMARY KEY (user_id),
        CONSTRAINT user_totp_secrets_user FOREIGN KEY (org_id, user_id)
          REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_totp_secrets_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE user_totp_secrets`);
    await runner.query(`DROP TABLE import_names`);
    await runner.query(`DROP TABLE import_chunks`);
    await runner.query(`DROP TABLE import_jobs`);
  }
}
