import type { MigrationInterface, QueryRunner } from 'typeorm';

const TEMPLATES = `'initialise', 'verify_email', 'verify_phone', 'reset_password', 'password_changed', 'register', 'account_exists'`;
const SEARCHED = ['first_name', 'last_name', 'display_name', 'email'];

/**
 * Users that are searched, changed and deleted. A deleted user stays as a row without anything personal in it, so that
 * no id is ever used again. `pending_email` is an address that waits for its code while the verified one still counts.
 */
export class ManageUsers1763701300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users DROP CONSTRAINT users_state`);
    await runner.query(`
      ALTER TABLE users ADD CONSTRAINT users_state
        CHECK (state IN ('initial', 'active', 'inactive', 'locked', 'deleted'))
    `);
    await runner.query(`ALTER TABLE user_humans ADD COLUMN pending_email text`);
    await runner.query(`
      ALTER TABLE user_humans ADD CONSTRAINT user_humans_pending_email
        CHECK (pending_email IS NULL OR (pending_email <> email AND email_verified))
    `);
    await runner.query(`CREATE INDEX users_listed ON users (org_id, id) WHERE state <> 'deleted'`);
    // in the order of bytes, so that one index serves equality and beginnings in every locale
    await runner.query(`CREATE INDEX users_search_name ON users (org_id, lower(user_name) text_pattern_ops)`);
    for (const column of SEARCHED) {
      await runner.query(
        `CREATE INDEX user_humans_search_${column} ON user_humans (org_id, lower(${column}) text_pattern_ops)`,
      );
    }
    await runner.query(`
      CREATE TABLE user_metadata (
        org_id text NOT NULL,
        user_id text NOT NULL,
        key text NOT NULL,
        value bytea NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT user_metadata_pkey PRIMARY KEY (user_id, key),
        CONSTRAINT user_metadata_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_metadata_key CHECK (char_length(key) BETWEEN 1 AND 200),
        CONSTRAINT user_metadata_value CHECK (octet_length(value) BETWEEN 1 AND 500000)
      )
    `);
    await runner.query(`ALTER TABLE notifications DROP CONSTRAINT notifications_template`);
    await runner.query(`
      ALTER TABLE notifications ADD CONSTRAINT notifications_template
        CHECK (template IN (${TEMPLATES}, 'email_changed'))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM notifications WHERE template = 'email_changed'`);
    await runner.query(`ALTER TABLE notifications DROP CONSTRAINT notifications_template`);
    await runner.query(`
      ALTER TABLE notifications ADD CONSTRAINT notifications_template CHECK (template IN (${TEMPLATES}))
    `);
    await runner.query(`DROP TABLE user_metadata`);
    for (const column of SEARCHED) await runner.query(`DROP INDEX user_humans_search_${column}`);
    await runner.query(`DROP INDEX users_search_name`);
    await runner.query(`DROP INDEX users_listed`);
    await runner.query(`ALTER TABLE user_humans DROP CONSTRAINT user_humans_pending_email`);
    await runner.query(`ALTER TABLE user_humans DROP COLUMN pending_email`);
    await runner.query(`DELETE FROM users WHERE state = 'deleted'`);
    await runner.query(`ALTER TABLE users DROP CONSTRAINT users_state`);
    await runner.query(`
      ALTER TABLE users ADD CONSTRAINT users_state CHECK (state IN ('initial', 'active', 'inactive', 'locked'))
    `);
  }
}
