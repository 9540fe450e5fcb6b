import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An organization that is switched off ends what its users and applications were let in with by one number; grants
 * remember that of their application as well (epochs.ts). What an exchange hangs from is asked by the same numbers.
 */
export class EndAccessForGood1763703500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organizations ADD COLUMN token_epoch integer NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE applications ADD COLUMN grant_epoch integer NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE grants ADD COLUMN client_epoch integer NOT NULL DEFAULT 0`);
    // what is switched off at this moment is not revived either
    await runner.query(`UPDATE organizations SET token_epoch = 1 WHERE state = 'inactive'`);
    await runner.query(`
      UPDATE applications a SET grant_epoch = 1 FROM projects p
      WHERE p.id = a.project_id AND (a.state = 'inactive' OR p.state = 'inactive')
    `);
    await runner.query(
      exchangeHolds({
        user: `u.state = 'active'`,
        userOrganization: `o.state = 'active' AND u.token_epoch + o.token_epoch = t.epoch`,
        grantOrganization: `o.state = 'active' AND a.grant_epoch + o.token_epoch = g.client_epoch`,
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      exchangeHolds({
        user: `u.state = 'active' AND u.token_epoch = t.epoch`,
        userOrganization: `o.state = 'active'`,
        grantOrganization: `o.state = 'active'`,
      }),
    );
    await runner.query(`ALTER TABLE grants DROP COLUMN client_epoch`);
    await runner.query(`ALTER TABLE applications DROP COLUMN grant_epoch`);
    await runner.query(`ALTER TABLE organizations DROP COLUMN token_epoch`);
  }
}

/** The function as it was, but for when a user, their organization and that of a grant's application count. */
function exchangeHolds(when: { user: string; userOrganization: string; grantOrganization: string }): string {
  return `
      CREATE OR REPLACE FUNCTION exchange_holds(ties jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
        SELECT
          -- whoever acts is active, and none of their tokens was ended
          NOT EXISTS (
            SELECT FROM jsonb_to_recordset(ties -> 'users') AS t("userId" text, epoch integer)
            LEFT JOIN users u ON u.id = t."userId" AND ${when.user}
            LEFT JOIN organizations o ON o.id = u.org_id AND ${when.userOrganization}
            WHERE o.id IS NULL)
          -- the grants, sessions and personal access tokens that the tokens came from have not ended, nor have
          -- the applications of those grants
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'grants') AS t(id)
            LEFT JOIN grants g ON g.id = t.id AND g.revoked_at IS NULL
            LEFT JOIN applications a ON a.id = g.application_id AND a.state = 'active'
            LEFT JOIN projects j ON j.id = a.project_id AND j.state = 'active'
            LEFT JOIN organizations o ON o.id = a.org_id AND ${when.grantOrganization}
            WHERE j.id IS NULL OR o.id IS NULL)
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'sessions') AS t(id)
            LEFT JOIN sessions s ON s.id = t.id AND s.ended_at IS NULL
            WHERE s.id IS NULL)
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'personalAccessTokens') AS t(id)
            LEFT JOIN personal_access_tokens p ON p.id = t.id AND p.revoked_at IS NULL
              AND (p.expires_at IS NULL OR p.expires_at > app_now())
            WHERE p.id IS NULL)
          -- nor the access tokens themselves, one by one; a row of these stays for as long as something is tied to it
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'tokens') AS t(jti)
            JOIN revoked_tokens r ON r.jti = t.jti)
          -- impersonation is still allowed, by roles that are still held
          AND (ties -> 'roles' = '[]' OR EXISTS (SELECT FROM security_settings WHERE enable_impersonation))
          AND NOT EXISTS (
            SELECT FROM jsonb_to_recordset(ties -> 'roles') AS t("userId" text, role text, "orgId" text)
            WHERE NOT EXISTS (
              SELECT FROM memberships m
              WHERE m.user_id = t."userId" AND m.role = t.role AND m.org_id IS NOT DISTINCT FROM t."orgId"))
          -- whoever is impersonated has not risen since
          AND NOT EXISTS (
            SELECT FROM jsonb_to_recordset(ties -> 'subjects') AS t("userId" text, roles jsonb)
            JOIN memberships m ON m.user_id = t."userId"
            WHERE NOT EXISTS (
              SELECT FROM jsonb_to_recordset(t.roles) AS r(role text, "orgId" text)
              WHERE r.role = m.role AND r."orgId" IS NOT DISTINCT FROM m.org_id))
      $$
    `;
}
