import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Registration is off until an owner switches it on. Where people registered while it was on by default, or are about
 * to, it stays on, now as what the organization has set; everywhere else that said nothing it is off from here on.
 */
export class CloseRegistration1763703300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE login_policies ALTER COLUMN allow_register SET DEFAULT false`);
    await runner.query(`UPDATE login_policies SET allow_register = false WHERE NOT is_set`);
    await runner.query(`
      WITH used AS (
        SELECT DISTINCT org_id FROM events WHERE type = 'user.human.registered'
        UNION
        SELECT org_id FROM registrations WHERE ended_at IS NULL AND expires_at > app_now()
      ), kept AS (
        INSERT INTO login_policies AS p (org_id, allow_register)
        SELECT o.id, true FROM organizations o JOIN used ON used.org_id = o.id
        ON CONFLICT (org_id) DO UPDATE
          SET allow_register = true, is_set = true, sequence = p.sequence + 1, changed_at = app_now()
          WHERE NOT p.is_set
        RETURNING org_id, sequence
      )
      INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, fields, data)
      SELECT org_id, 'login_policy', org_id, sequence, 'organization.login_policy.changed', '{allowRegister}',
             '{"allowRegister": true}'
      FROM kept
    `);
  }

  /** What was kept on stays so: it says what held. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE login_policies ALTER COLUMN allow_register SET DEFAULT true`);
    await runner.query(`UPDATE login_policies SET allow_register = true WHERE NOT is_set`);
  }
}
