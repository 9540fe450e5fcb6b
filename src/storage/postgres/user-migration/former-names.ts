// SQL by hand: former names of many users are found and stored in sets
import type { Sealer } from '../../../domain/secrets/sealer.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { Sql } from '../sql.js';
import { migrationNameHash, REMEMBERED_ON } from './user-migrations.store.js';

/** Somebody, and what they are called from now on; in canonical form. */
export interface NamesToCome {
  readonly id: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly email: string | undefined;
}

const WITH_MIGRATION = {
  name: 'former-names-with-migration',
  text: `
    SELECT m.org_id AS id, d.domain FROM user_migrations m
    LEFT JOIN organization_domains d ON d.org_id = m.org_id AND d.is_primary
    WHERE m.org_id = ANY ($1::text[]) AND m.ends_at > app_now() - ${REMEMBERED_ON}`,
};

const GIVEN_UP = {
  name: 'former-names-given-up',
  text: `
    SELECT i.org_id, i.canonical
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, user_name text, email text)
    JOIN login_identifiers i ON i.org_id = g.org_id AND i.user_id = g.id
    WHERE i.canonical IS DISTINCT FROM CASE i.kind WHEN 'user_name' THEN g.user_name ELSE g.email END`,
};

// in one order, so that two imports wait for each other and not in a circle
const REMEMBER = {
  name: 'former-names-remember',
  text: `
    INSERT INTO user_migration_names (org_id, name_hash)
    SELECT m.org_id, g.hash FROM unnest($1::text[], $2::bytea[]) AS g (org_id, hash)
    JOIN (SELECT org_id FROM user_migrations WHERE org_id = ANY ($1::text[]) FOR KEY SHARE) m ON m.org_id = g.org_id
    ORDER BY m.org_id, g.hash
    ON CONFLICT (org_id, name_hash) DO NOTHING`,
};

/**
 * Remembers what users of an organization with a migration are about to be called no longer, so that nobody becomes a second user by
 * such a name. Where there is no migration it is one look for it.
 */
export async function rememberFormerNames(
  sql: Sql,
  sealer: Sealer,
  tx: Tx,
  users: readonly NamesToCome[],
): Promise<void> {
  const orgIds = [...new Set(users.map(({ orgId }) => orgId))];
  const found = await sql.rows<{ id: OrgId; domain: string | null }>(WITH_MIGRATION, [orgIds], tx);
  if (found.length === 0) return;
  const domains = new Map(found.map(({ id, domain }) => [id, domain]));
  const renamed = users
    .filter(({ orgId }) => domains.has(orgId))
    .map(({ id, orgId: org_id, userName: user_name, email }) => ({ id, org_id, user_name, email }));
  type Name = { org_id: OrgId; canonical: string };
  const names = await sql.rows<Name>(GIVEN_UP, [JSON.stringify(renamed)], tx);
  if (names.length === 0) return;
  const remembered = names.flatMap(({ org_id: orgId, canonical }) =>
    [canonical, `${canonical}@${domains.get(orgId) ?? ''}`].map((name) => ({
      orgId,
      hash: migrationNameHash(sealer, orgId, name),
    })),
  );
  const values = [remembered.map(({ orgId }) => orgId), remembered.map(({ hash }) => hash)];
  await sql.change(REMEMBER, values, tx);
}
