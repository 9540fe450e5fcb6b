import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What bootstrap made and nobody has changed since: only such an application keeps what it could do. */
const MADE_BY_BOOTSTRAP = `
  EXISTS (SELECT FROM events e WHERE e.aggregate_type = 'application' AND e.aggregate_id = a.id
          AND e.type = 'application.oidc.added' AND e.actor_id IS NULL)
  AND NOT EXISTS (SELECT FROM events e WHERE e.aggregate_type = 'application' AND e.aggregate_id = a.id
                  AND e.actor_id IS NOT NULL)
  AND NOT EXISTS (SELECT FROM application_keys k WHERE k.application_id = a.id)
  AND a.org_id = (SELECT default_org_id FROM instance) AND a.kind = 'oidc'`;

const HAS_AUDIENCE = `g.audience @> ARRAY[(SELECT api_project_id FROM instance)]`;

/**
 * The service's own audience goes to an application only where it was given, and, unless bootstrap made the
 * application, after the user has agreed. Applications that had it until now lose it, are listed, and their grants that
 * hold it end: an owner gives it again to those that should have it.
 */
export class GiveManagementAccess1763703000000 implements MigrationInterface {
  /** For whoever runs it (src/storage/postgres/migrate.ts). */
  readonly told: string[] = [];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE applications
        ADD COLUMN management_access text NOT NULL DEFAULT 'none',
        ADD COLUMN access_given_by text,
        ADD COLUMN first_party boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT applications_management_access
          CHECK (management_access IN ('none', 'organization', 'instance')),
        ADD CONSTRAINT applications_access_given
          CHECK ((management_access = 'none') = (access_given_by IS NULL AND NOT first_party)),
        ADD CONSTRAINT applications_first_party CHECK (NOT first_party OR access_given_by IS NULL)
    `);
    await runner.query(`
      CREATE INDEX applications_by_giver ON applications (access_given_by) WHERE access_given_by IS NOT NULL
    `);
    await runner.query(`
      CREATE TABLE consents (
        user_id text NOT NULL,
        application_id text NOT NULL,
        org_id text NOT NULL,
        access text NOT NULL,
        sequence bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT app_now(),
        changed_at timestamptz NOT NULL DEFAULT app_now(),
        CONSTRAINT consents_pkey PRIMARY KEY (user_id, application_id),
        CONSTRAINT consents_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT consents_application FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE,
        CONSTRAINT consents_access CHECK (access IN ('organization', 'instance'))
      )
    `);
    await runner.query(`CREATE INDEX consents_by_application ON consents (application_id)`);
    await runner.query(`
      ALTER TABLE import_jobs
        ADD COLUMN created_through text, ADD COLUMN undone_through text, ADD COLUMN notified_through text
    `);
    await runner.query(
      `UPDATE applications a SET management_access = 'instance', first_party = true WHERE ${MADE_BY_BOOTSTRAP}`,
    );
    await this.endTheOthers(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE import_jobs
        DROP COLUMN created_through, DROP COLUMN undone_through, DROP COLUMN notified_through
    `);
    await runner.query(`DROP TABLE consents`);
    await runner.query(`
      ALTER TABLE applications
        DROP COLUMN management_access, DROP COLUMN access_given_by, DROP COLUMN first_party
    `);
  }

  private async endTheOthers(runner: QueryRunner): Promise<void> {
    const losers = (await runner.query(`
      SELECT a.id, a.client_id, a.name, a.org_id, count(*)::int AS grants, count(DISTINCT g.user_id)::int AS users
      FROM applications a JOIN grants g ON g.application_id = a.id AND g.revoked_at IS NULL AND ${HAS_AUDIENCE}
      WHERE NOT a.first_party GROUP BY a.id ORDER BY a.org_id, a.name, a.id
    `)) as { id: string; client_id: string; name: string; org_id: string; grants: number; users: number }[];
    if (losers.length === 0) return;
    const ids = losers.map(({ id }) => id);
    await runner.query(
      `UPDATE grants g SET revoked_at = app_now(), revoke_reason = 'management_access_not_given'
       WHERE g.application_id = ANY ($1) AND g.revoked_at IS NULL AND ${HAS_AUDIENCE}`,
      [ids],
    );
    await runner.query(
      `WITH changed AS (
         UPDATE applications SET sequence = sequence + 1, changed_at = app_now() WHERE id = ANY ($1)
         RETURNING id, org_id, sequence
       )
       INSERT INTO events (org_id, aggregate_type, aggregate_id, sequence, type, data)
       SELECT org_id, 'application', id, sequence, 'application.management_access.changed',
              jsonb_build_object('to', 'none', 'reason', 'migration')
       FROM changed`,
      [ids],
    );
    this.told.push(
      "These applications could act on the service's own APIs and no longer can; an owner gives it again with " +
        '"managementAccess" to those that should (docs/upgrade.md):',
      ...losers.map(
        ({ name, client_id: clientId, org_id: orgId, grants, users }) =>
          `  ${JSON.stringify(name)} client ${clientId}, organization ${orgId}: ` +
          `${String(grants)} grant(s) of ${String(users)} user(s) ended`,
      ),
    );
  }
}
