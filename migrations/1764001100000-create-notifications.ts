import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages and their ledger: which provider has one under which name, when it is tried again, what was reported back; who
 * carries mail and SMS out for the whole instance, and how they are doing; and counts, and blocks of numbers, that keep SMS
 * from being pumped at our cost. A message can go to somebody who is not a user yet, and can tell something without a code.
 */
export class CreateNotifications1764001100000 implements MigrationInterface {
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
    // beside the providers, so that all workers know it and a flushed Redis forgets nothing
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
    // words that an organization, or the instance (org_id NULL), sets in place of the built-in ones
    await runner.query(`
      CREATE TABLE message_templates (
        id text NOT NULL DEFAULT new_id() CONSTRAINT message_templates_pkey PRIMARY KEY,
        org_id text CONSTRAINT message_templates_org REFERENCES organizations (id) ON DELETE CASCADE,
        type text NOT NULL,
        language text NOT NULL,
        subject text,
        title text,
        preheader text,
        greeting text,
        text text,
        button text,
        footer text,
        sms_text text,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT message_templates_once UNIQUE NULLS NOT DISTINCT (org_id, type, language),
        CONSTRAINT message_templates_type CHECK (type IN (
          'initialise', 'verify_email', 'verify_phone', 'reset_password', 'register', 'password_changed',
          'account_exists', 'email_changed', 'reset_choice')),
        CONSTRAINT message_templates_language CHECK (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
        CONSTRAINT message_templates_some CHECK (
          sequence = 0 OR num_nonnulls(subject, title, preheader, greeting, text, button, footer, sms_text) > 0),
        CONSTRAINT message_templates_channel CHECK (
          CASE WHEN type = 'verify_phone'
            THEN num_nonnulls(subject, title, preheader, greeting, text, button, footer) = 0
            ELSE sms_text IS NULL END),
        CONSTRAINT message_templates_lines CHECK (
          char_length(subject) BETWEEN 1 AND 120 AND char_length(title) BETWEEN 1 AND 120
          AND char_length(preheader) BETWEEN 1 AND 250 AND char_length(greeting) BETWEEN 1 AND 120
          AND char_length(button) BETWEEN 1 AND 60 AND subject !~ '[\\r\\n]'),
        CONSTRAINT message_templates_text CHECK (char_length(text) BETWEEN 1 AND 4000),
        CONSTRAINT message_templates_footer CHECK (char_length(footer) BETWEEN 1 AND 1000),
        CONSTRAINT message_templates_sms_text CHECK (char_length(sms_text) BETWEEN 1 AND 160)
      )
    `);
    // the ledger outlives the registration, without its personal data
    await runner.query(`
      CREATE TABLE notifications (
        id text NOT NULL DEFAULT new_id() CONSTRAINT notifications_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text,
        channel text NOT NULL,
        template text NOT NULL,
        code_id text,
        outbox_id bigint,
        content_sealed bytea,
        data_key_id integer,
        state text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        fence bigint NOT NULL DEFAULT 0,
        hand_overs integer NOT NULL DEFAULT 0,
        claimed_until timestamptz,
        last_error text,
        expires_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        finished_at timestamptz,
        registration_id text,
        provider_id text,
        provider_message_id text,
        failures integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        ambiguous boolean NOT NULL DEFAULT false,
        dead_letter boolean NOT NULL DEFAULT false,
        reported text,
        delivered_at timestamptz,
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        last_failure jsonb,
        CONSTRAINT notifications_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT notifications_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys (id),
        CONSTRAINT notifications_once UNIQUE (user_id, template, code_id),
        CONSTRAINT notifications_channel CHECK (channel IN ('email', 'sms')),
        CONSTRAINT notifications_sealed CHECK ((content_sealed IS NULL) = (data_key_id IS NULL)),
        CONSTRAINT notifications_registration FOREIGN KEY (registration_id)
          REFERENCES registrations (id) ON DELETE SET NULL,
        CONSTRAINT notifications_recipient CHECK (user_id IS NULL OR registration_id IS NULL),
        CONSTRAINT notifications_template CHECK (template IN ('initialise', 'verify_email', 'verify_phone', 'reset_password',
          'password_changed', 'register', 'account_exists', 'email_changed', 'reset_choice')),
        CONSTRAINT notifications_state CHECK
          (state IN ('pending', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'abandoned')),
        CONSTRAINT notifications_finished CHECK
          ((state IN ('sent', 'delivered', 'failed', 'abandoned')) = (finished_at IS NOT NULL)),
        CONSTRAINT notifications_content CHECK
          (state IN ('pending', 'sending', 'retrying') OR dead_letter OR content_sealed IS NULL),
        CONSTRAINT notifications_dead_letter CHECK (NOT dead_letter OR state IN ('failed', 'abandoned')),
        CONSTRAINT notifications_reported CHECK (reported IN ('delivered', 'failed'))
      )
    `);
    await runner.query(`
      CREATE INDEX notifications_unfinished ON notifications (created_at)
      WHERE state IN ('pending', 'sending', 'retrying')
    `);
    await runner.query(
      `CREATE INDEX notifications_by_end ON notifications (finished_at) WHERE finished_at IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX notifications_dead ON notifications (finished_at) WHERE dead_letter`);
    await runner.query(`CREATE INDEX notifications_by_time ON notifications (created_at, id)`);
    await runner.query(
      `CREATE INDEX notifications_by_organization ON notifications (org_id, created_at, id)`,
    );
    await runner.query(`
      CREATE INDEX notifications_by_registration ON notifications (registration_id)
      WHERE registration_id IS NOT NULL
    `);
    // caps hold over any stretch of time: what is counted is kept in parts
    await runner.query(`
      CREATE TABLE sms_quotas (
        id text CONSTRAINT sms_quotas_pkey PRIMARY KEY,
        used bigint NOT NULL DEFAULT 0,
        ends_at timestamptz NOT NULL,
        earlier bigint[] NOT NULL DEFAULT '{}',
        quiet_until timestamptz,
        CONSTRAINT sms_quotas_used CHECK (used >= 0)
      )
    `);
    await runner.query(`CREATE INDEX sms_quotas_by_end ON sms_quotas (ends_at)`);
    await runner.query(`
      CREATE TABLE sms_sends (
        code_id text CONSTRAINT sms_sends_pkey PRIMARY KEY,
        prefix text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        verified_at timestamptz
      )
    `);
    await runner.query(`CREATE INDEX sms_sends_by_prefix ON sms_sends (prefix, created_at)`);
    await runner.query(`CREATE INDEX sms_sends_by_time ON sms_sends (created_at)`);
    await runner.query(`
      CREATE TABLE sms_blocks (
        prefix text CONSTRAINT sms_blocks_pkey PRIMARY KEY,
        reason text NOT NULL,
        blocked_until timestamptz NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now()
      )
    `);
    await runner.query(`CREATE INDEX sms_blocks_by_end ON sms_blocks (blocked_until)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'sms_blocks',
      'sms_sends',
      'sms_quotas',
      'notifications',
      'message_templates',
      'notification_provider_health',
      'notification_providers',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
