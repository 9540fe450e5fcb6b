import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowTemplates } from './allow-templates.js';

/** Codes by e-mail and SMS as second factors: who has them, and when a password was last reset by e-mail. */
export class CreateCodeFactors1795690000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_code_factors (
        user_id text NOT NULL,
        kind text NOT NULL,
        org_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_code_factors_pkey PRIMARY KEY (user_id, kind),
        CONSTRAINT user_code_factors_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_code_factors_kind CHECK (kind IN ('email', 'sms'))
      )
    `);
    await runner.query(`ALTER TABLE user_passwords ADD COLUMN reset_by_email_at timestamptz`);
    await allowPurposes(runner, [...PURPOSES, ...TEMPLATES]);
    await allowTemplates(runner, (before) => [...before, ...TEMPLATES]);
    await checkChannel(runner, `type IN ('verify_phone', 'second_factor_sms')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const list = TEMPLATES.map((template) => `'${template}'`).join(', ');
    await runner.query(`DELETE FROM notifications WHERE template IN (${list})`);
    await runner.query(`DELETE FROM message_templates WHERE type IN (${list})`);
    await runner.query(`DELETE FROM verification_codes WHERE purpose IN (${list})`);
    await checkChannel(runner, `type = 'verify_phone'`);
    await allowTemplates(runner, (before) => before.filter((template) => !TEMPLATES.includes(template)));
    await allowPurposes(runner, PURPOSES);
    await runner.query(`ALTER TABLE user_passwords DROP COLUMN reset_by_email_at`);
    await runner.query(`DROP TABLE user_code_factors`);
  }
}

const PURPOSES = ['initialise', 'verify_email', 'verify_phone', 'reset_password'];
const TEMPLATES = ['second_factor_email', 'second_factor_sms'];

async function allowPurposes(runner: QueryRunner, purposes: readonly string[]): Promise<void> {
  const list = purposes.map((purpose) => `'${purpose}'`).join(', ');
  await runner.query(`
    ALTER TABLE verification_codes DROP CONSTRAINT verification_codes_purpose,
      ADD CONSTRAINT verification_codes_purpose CHECK (purpose IN (${list}))`);
}

/** Short messages have one text and mails the others. */
async function checkChannel(runner: QueryRunner, isSms: string): Promise<void> {
  await runner.query(`
    ALTER TABLE message_templates DROP CONSTRAINT message_templates_channel,
      ADD CONSTRAINT message_templates_channel CHECK (
        CASE WHEN ${isSms}
          THEN num_nonnulls(subject, title, preheader, greeting, text, button, footer) = 0
          ELSE sms_text IS NULL END)`);
}
