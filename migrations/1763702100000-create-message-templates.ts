import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Words that an organization, or the instance (org_id NULL), sets in place of the built-in ones of a message. */
export class CreateMessageTemplates1763702100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
          'account_exists', 'email_changed')),
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE message_templates`);
  }
}
