import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = `'initialise', 'verify_email', 'verify_phone', 'reset_password', 'password_changed', 'register',
  'account_exists', 'email_changed'`;
const TYPES_BEFORE = `'initialise', 'verify_email', 'verify_phone', 'reset_password', 'register', 'password_changed',
  'account_exists', 'email_changed'`;

/**
 * A verified address is proven by its owner, or an import or an administrator vouched for it. Of those that are there,
 * the event log tells which were proven: something that takes a code from the mailbox was the last to verify them, and
 * nobody else changed them since. What it does not tell counts as vouched for.
 */
export class KnowWhoProvedAddresses1763703100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE login_identifiers
        ADD COLUMN proven boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT login_identifiers_proven CHECK (kind = 'email' OR NOT proven)
    `);
    // an address that only looks like its canonical form is another mailbox, whatever code came from it
    await runner.query(`
      WITH told AS (
        SELECT DISTINCT ON (e.aggregate_id) e.aggregate_id AS user_id, e.type IN (
            'user.human.registered', 'user.human.email.verified', 'user.human.initialised',
            'user.human.password.reset') AS proves
        FROM events e
        WHERE e.aggregate_type = 'user' AND (
          e.type IN ('user.human.registered', 'user.human.email.verified', 'user.human.initialised',
            'user.human.password.reset', 'user.human.imported', 'user.human.added')
          OR e.type = 'user.human.email.changed' AND e.actor_id IS DISTINCT FROM e.aggregate_id
          OR e.type = 'user.human.changed' AND e.fields && ARRAY['email', 'emailVerified'])
        ORDER BY e.aggregate_id, e.created_at DESC, e.position DESC
      )
      UPDATE login_identifiers i SET proven = true
      FROM told JOIN user_humans h ON h.user_id = told.user_id
      WHERE told.proves AND i.user_id = told.user_id AND i.kind = 'email' AND lower(h.email) = i.canonical
    `);
    await this.restrict(runner, `${BEFORE}, 'reset_choice'`, `${TYPES_BEFORE}, 'reset_choice'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM notifications WHERE template = 'reset_choice'`);
    await runner.query(`DELETE FROM message_templates WHERE type = 'reset_choice'`);
    await this.restrict(runner, BEFORE, TYPES_BEFORE);
    await runner.query(
      `ALTER TABLE login_identifiers DROP CONSTRAINT login_identifiers_proven, DROP COLUMN proven`,
    );
  }

  private async restrict(runner: QueryRunner, templates: string, types: string): Promise<void> {
    await runner.query(`
      ALTER TABLE notifications
        DROP CONSTRAINT notifications_template,
        ADD CONSTRAINT notifications_template CHECK (template IN (${templates}))
    `);
    await runner.query(`
      ALTER TABLE message_templates
        DROP CONSTRAINT message_templates_type,
        ADD CONSTRAINT message_templates_type CHECK (type IN (${types}))
    `);
  }
}
