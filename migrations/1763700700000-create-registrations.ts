import type { MigrationInterface, QueryRunner } from 'typeorm';

const TEMPLATES = `'initialise', 'verify_email', 'verify_phone'`;
const MORE_TEMPLATES = `${TEMPLATES}, 'reset_password', 'password_changed', 'register', 'account_exists'`;

/**
 * Accounts that people ask for themselves: they wait here until the mailbox is proven, so that there is no user before.
 * Notifications can go to somebody who is not a user yet, and can tell something without a code.
 */
export class CreateRegistrations1763700700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registrations (
        id text CONSTRAINT registrations_pkey PRIMARY KEY,
        org_id text NOT NULL,
        flow_id text,
        first_name text NOT NULL,
        last_name text NOT NULL,
        email text NOT NULL,
        email_canonical text NOT NULL,
        login_name text NOT NULL,
        user_name text NOT NULL,
        locale text NOT NULL,
        password_hash text,
        code_id text,
        code_hash bytea,
        attempts integer NOT NULL DEFAULT 0,
        resends integer NOT NULL DEFAULT 0,
        mailed boolean NOT NULL,
        sent_at timestamptz NOT NULL DEFAULT app_now(),
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        ended_at timestamptz,
        CONSTRAINT registrations_org FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT registrations_attempts CHECK (attempts BETWEEN 0 AND 5),
        CONSTRAINT registrations_resends CHECK (resends BETWEEN 0 AND 2),
        CONSTRAINT registrations_code CHECK ((code_id IS NULL) = (code_hash IS NULL)),
        CONSTRAINT registrations_secrets CHECK (ended_at IS NULL OR password_hash IS NULL)
      )
    `);
    await runner.query(`CREATE INDEX registrations_by_org ON registrations (org_id)`);
    await runner.query(`CREATE INDEX registrations_by_target ON registrations (email_canonical, created_at)`);
    await runner.query(`CREATE INDEX registrations_expiry ON registrations (expires_at)`);

    await runner.query(`ALTER TABLE verification_codes ADD COLUMN flow_id text`);
    await runner.query(
      `CREATE INDEX verification_codes_by_user ON verification_codes (user_id, purpose, created_at)`,
    );
    await runner.query(`CREATE INDEX verification_codes_expiry ON verification_codes (expires_at)`);

    await runner.query(`ALTER TABLE notifications ALTER COLUMN user_id DROP NOT NULL`);
    await runner.query(`ALTER TABLE notifications ADD COLUMN registration_id text`);
    // the ledger outlives the registration, without its personal data
    await runner.query(`
      ALTER TABLE notifications ADD CONSTRAINT notifications_registration FOREIGN KEY (registration_id)
        REFERENCES registrations (id) ON DELETE SET NULL
    `);
    await runner.query(`
      ALTER TABLE notifications ADD CONSTRAINT notifications_recipient
        CHECK (user_id IS NULL OR registration_id IS NULL)
    `);
    await runner.query(`
      CREATE INDEX notifications_by_registration ON notifications (registration_id)
        WHERE registration_id IS NOT NULL
    `);
    await runner.query(`ALTER TABLE notifications DROP CONSTRAINT notifications_template`);
    await runner.query(`
      ALTER TABLE notifications ADD CONSTRAINT notifications_template CHECK (template IN (${MORE_TEMPLATES}))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM notifications WHERE user_id IS NULL OR template NOT IN (${TEMPLATES})`);
    await runner.query(`ALTER TABLE notifications DROP CONSTRAINT notifications_template`);
    await runner.query(`
      ALTER TABLE notifications ADD CONSTRAINT notifications_template CHECK (template IN (${TEMPLATES}))
    `);
    await runner.query(`DROP INDEX notifications_by_registration`);
    await runner.query(`ALTER TABLE notifications DROP CONSTRAINT notifications_recipient`);
    await runner.query(`ALTER TABLE notifications DROP CONSTRAINT notifications_registration`);
    await runner.query(`ALTER TABLE notifications DROP COLUMN registration_id`);
    await runner.query(`ALTER TABLE notifications ALTER COLUMN user_id SET NOT NULL`);
    await runner.query(`DROP INDEX verification_codes_expiry`);
    await runner.query(`DROP INDEX verification_codes_by_user`);
    await runner.query(`ALTER TABLE verification_codes DROP COLUMN flow_id`);
    await runner.query(`DROP TABLE registrations`);
  }
}
