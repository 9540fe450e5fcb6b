import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowTemplates } from './allow-templates.js';

/**
 * Passkeys, the challenges that browsers sign with them, and the mails that tell of them. A credential is of one user in
 * the whole instance. `user_handle` is random: an authenticator shows it to whoever has the device in hand, so it says
 * nothing of the user (WebAuthn §14.6.1).
 */
export class CreatePasskeys1795619445391 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE passkeys (
        id text NOT NULL DEFAULT new_id() CONSTRAINT passkeys_pkey PRIMARY KEY,
        org_id text NOT NULL,
        user_id text NOT NULL,
        credential_id bytea NOT NULL,
        public_key bytea NOT NULL,
        user_handle bytea NOT NULL,
        sign_count bigint NOT NULL DEFAULT 0,
        transports text[] NOT NULL DEFAULT '{}',
        name text NOT NULL,
        passwordless boolean NOT NULL DEFAULT false,
        backup_eligible boolean NOT NULL DEFAULT false,
        backed_up boolean NOT NULL DEFAULT false,
        last_used_at timestamptz,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT passkeys_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT passkeys_credential UNIQUE (credential_id),
        CONSTRAINT passkeys_name CHECK (char_length(name) BETWEEN 1 AND 100),
        CONSTRAINT passkeys_sign_count CHECK (sign_count >= 0)
      )
    `);
    await runner.query(`CREATE INDEX passkeys_by_user ON passkeys (user_id)`);
    await runner.query(`
      CREATE TABLE passkey_challenges (
        hash bytea NOT NULL CONSTRAINT passkey_challenges_pkey PRIMARY KEY,
        purpose text NOT NULL,
        bound_to text NOT NULL,
        user_agent_id text,
        org_id text,
        user_id text,
        user_handle bytea,
        expires_at timestamptz NOT NULL,
        CONSTRAINT passkey_challenges_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT passkey_challenges_purpose CHECK (purpose IN ('register', 'sign-in', 'second-factor')),
        CONSTRAINT passkey_challenges_user_known CHECK ((user_id IS NULL) = (org_id IS NULL)),
        CONSTRAINT passkey_challenges_handle CHECK ((user_handle IS NOT NULL) = (purpose = 'register'))
      )
    `);
    await runner.query(`CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at)`);
    await runner.query(
      `CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id) WHERE user_id IS NOT NULL`,
    );
    await allowTemplates(runner, (before) => [...before, ...TEMPLATES]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM notifications WHERE template IN ('passkey_added', 'passkey_removed')`);
    await runner.query(`DELETE FROM message_templates WHERE type IN ('passkey_added', 'passkey_removed')`);
    await allowTemplates(runner, (before) => before.filter((template) => !TEMPLATES.includes(template)));
    await runner.query(`DROP TABLE passkey_challenges`);
    await runner.query(`DROP TABLE passkeys`);
  }
}

const TEMPLATES = ['passkey_added', 'passkey_removed'];
