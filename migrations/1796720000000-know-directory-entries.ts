import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Answers to a sign-in by SAML are counted; entries of directories are known after they came over; and people of directories are
 * kept in the one form that this release looks for. The release before counts and notes nothing, and finds those who are kept in
 * another spelling than its own only once it is replaced.
 */
export class KnowDirectoryEntries1796720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_sign_ins ADD COLUMN answers_read smallint NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE user_migration_entries (
        org_id text NOT NULL,
        entry_hash bytea NOT NULL,
        user_id text NOT NULL,
        CONSTRAINT user_migration_entries_pkey PRIMARY KEY (org_id, entry_hash),
        CONSTRAINT user_migration_entries_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id) ON DELETE CASCADE,
        CONSTRAINT user_migration_entries_hash CHECK (octet_length(entry_hash) = 32)
      )`);
    await runner.query(
      `CREATE INDEX user_migration_entries_by_user ON user_migration_entries (org_id, user_id)`,
    );
    // of spellings that are there already, one that is in this form stays the identity, else the one that was used last
    await runner.query(`
      WITH spelled AS (
        SELECT i.id, lower(btrim(normalize(i.subject, NFKC))) AS kept,
          row_number() OVER (PARTITION BY i.provider_id, lower(btrim(normalize(i.subject, NFKC)))
                             ORDER BY i.last_used_at DESC NULLS LAST, i.id) AS place
        FROM user_identities i JOIN identity_providers p ON p.id = i.provider_id
        WHERE p.kind = 'ldap' AND lower(p.settings ->> 'subjectAttribute') IN (
          'entryuuid', 'nsuniqueid', 'ipauniqueid', 'guid', 'objectguid', 'objectsid', 'uid', 'cn', 'mail', 'employeenumber',
          'entrydn', 'distinguishedname', 'samaccountname', 'userprincipalname', 'employeeid')
      )
      UPDATE user_identities i SET subject = s.kept FROM spelled s
      WHERE i.id = s.id AND s.place = 1 AND i.subject <> s.kept AND s.kept <> ''
        AND NOT EXISTS (SELECT FROM user_identities t WHERE t.provider_id = i.provider_id AND t.subject = s.kept)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE user_migration_entries`);
    await runner.query(`ALTER TABLE external_sign_ins DROP COLUMN answers_read`);
  }
}
