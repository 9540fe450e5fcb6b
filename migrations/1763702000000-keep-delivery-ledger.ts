import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The rows of messages become their ledger: which provider has it under which name, when it is tried again, what was
 * reported back. How providers are doing is kept beside it, so that all workers know it and a flushed Redis forgets
 * nothing.
 */
export class KeepDeliveryLedger1763702000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE notifications
        DROP CONSTRAINT notifications_state,
        DROP CONSTRAINT notifications_finished,
        DROP CONSTRAINT notifications_content,
        ADD COLUMN provider_id text,
        ADD COLUMN provider_message_id text,
        ADD COLUMN failures integer NOT NULL DEFAULT 0,
        ADD COLUMN next_attempt_at timestamptz,
        ADD COLUMN ambiguous boolean NOT NULL DEFAULT false,
        ADD COLUMN dead_letter boolean NOT NULL DEFAULT false,
        ADD COLUMN reported text,
        ADD COLUMN delivered_at timestamptz,
        ADD COLUMN changed_at timestamptz NOT NULL DEFAULT app_now()
    `);
    // nothing ever sent these, and their codes are over
    await runner.query(`
      UPDATE notifications SET state = 'abandoned', last_error = 'code_expired', finished_at = app_now(),
        content_sealed = NULL, data_key_id = NULL
      WHERE state = 'waiting'
    `);
    await runner.query(`
      UPDATE notifications SET dead_letter = true
      WHERE state = 'abandoned' AND last_error NOT IN ('user_inactive', 'code_ended', 'code_expired')
    `);
    await runner.query(`
      ALTER TABLE notifications
        ADD CONSTRAINT notifications_state CHECK
          (state IN ('pending', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'abandoned')),
        ADD CONSTRAINT notifications_finished CHECK
          ((state IN ('sent', 'delivered', 'failed', 'abandoned')) = (finished_at IS NOT NULL)),
        ADD CONSTRAINT notifications_content CHECK
          (state IN ('pending', 'sending', 'retrying') OR dead_letter OR content_sealed IS NULL),
        ADD CONSTRAINT notifications_dead_letter CHECK (NOT dead_letter OR state IN ('failed', 'abandoned')),
        ADD CONSTRAINT notifications_reported CHECK (reported IN ('delivered', 'failed'))
    `);
    await runner.query(`DROP INDEX notifications_unfinished`);
    await runner.query(`
      CREATE INDEX notifications_unfinished ON notifications (created_at)
      WHERE state IN ('pending', 'sending', 'retrying')
    `);
    await runner.query(`CREATE INDEX notifications_dead ON notifications (finished_at) WHERE dead_letter`);
    await runner.query(`CREATE INDEX notifications_by_time ON notifications (created_at, id)`);
    await runner.query(
      `CREATE INDEX notifications_by_organization ON notifications (org_id, created_at, id)`,
    );
    await runner.query(`
      CREATE TABLE notification_provider_health (
        provider_id text CONSTRAINT notification_provider_health_pkey PRIMARY KEY,
        version text NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        openings integer NOT NULL DEFAULT 0,
        open_until timestamptz,
        paused boolean NOT NULL DEFAULT false,
        reason text,
        probe_until timestamptz,
        urgent_probe_until timestamptz,
        next_turn_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE notification_provider_health`);
    await runner.query(`DROP INDEX notifications_by_organization`);
    await runner.query(`DROP INDEX notifications_by_time`);
    await runner.query(`DROP INDEX notifications_dead`);
    await runner.query(`DROP INDEX notifications_unfinished`);
    await runner.query(`
      ALTER TABLE notifications
        DROP CONSTRAINT notifications_state, DROP CONSTRAINT notifications_finished,
        DROP CONSTRAINT notifications_content, DROP CONSTRAINT notifications_dead_letter,
        DROP CONSTRAINT notifications_reported
    `);
    await runner.query(`
      UPDATE notifications SET
        state = CASE state WHEN 'retrying' THEN 'pending' WHEN 'delivered' THEN 'sent' WHEN 'failed' THEN 'abandoned'
                           ELSE state END,
        content_sealed = CASE WHEN dead_letter THEN NULL ELSE content_sealed END,
        data_key_id = CASE WHEN dead_letter THEN NULL ELSE data_key_id END
      WHERE state IN ('retrying', 'delivered', 'failed') OR dead_letter
    `);
    await runner.query(`
      ALTER TABLE notifications
        DROP COLUMN provider_id, DROP COLUMN provider_message_id, DROP COLUMN failures,
        DROP COLUMN next_attempt_at, DROP COLUMN ambiguous, DROP COLUMN dead_letter, DROP COLUMN reported,
        DROP COLUMN delivered_at, DROP COLUMN changed_at,
        ADD CONSTRAINT notifications_state CHECK (state IN ('waiting', 'pending', 'sending', 'sent', 'abandoned')),
        ADD CONSTRAINT notifications_finished CHECK ((state IN ('sent', 'abandoned')) = (finished_at IS NOT NULL)),
        ADD CONSTRAINT notifications_content CHECK
          (state IN ('waiting', 'pending', 'sending') OR content_sealed IS NULL)
    `);
    await runner.query(`
      CREATE INDEX notifications_unfinished ON notifications (created_at) WHERE state IN ('pending', 'sending')
    `);
  }
}
