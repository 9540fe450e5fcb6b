// SQL by hand: former names of many users are found and stored in sets
import { oneSpelling } from '../../../domain/identity-providers/ldap/ldap-rules.js';
import type { Sealer } from '../../../domain/secrets/sealer.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { Sql } from '../sql.js';
import { primaryDomainJoin } from '../users/login-name.js';

// Names that the old system of a migration is not asked about again: names of users who were migrated, and names that users had before
// they were renamed or deleted. Without them, whoever signs in with such a name would be migrated as a second user.

/** After its end, a migration can be extended for this long without asking about anybody again; then the names are deleted. */
export const NAMES_KEPT_FOR = `interval '30 days'`;

/** What is stored of a name: a fingerprint that does not reveal it. */
export function migrationNameHash(sealer: Sealer, orgId: OrgId, name: string): Buffer {
  return sealer.mac('user-migration-name', `${orgId} ${oneSpelling(name)}`);
}

// in one order, so that two imports do not deadlock; nothing is stored for an organization without a migration
const REMEMBER = {
  name: 'former-names-remember',
  text: `
    INSERT INTO user_migration_names (org_id, name_hash)
    SELECT m.org_id, g.hash FROM unnest($1::text[], $2::bytea[]) AS g (org_id, hash)
    JOIN (SELECT org_id FROM user_migrations WHERE org_id = ANY ($1::text[]) FOR KEY SHARE) m ON m.org_id = g.org_id
    ORDER BY m.org_id, g.hash
    ON CONFLICT (org_id, name_hash) DO NOTHING`,
};

/** Stores names of an organization, given by `migrationNameHash`. Does nothing where the organization has no migration. */
export async function rememberHashes(
  sql: Sql,
  tx: Tx,
  orgId: OrgId,
  hashes: readonly Buffer[],
): Promise<void> {
  await sql.change(REMEMBER, [hashes.map(() => orgId), hashes], tx);
}

// the names of a user whose organization has a migration
const NAMES_OF_USER = {
  name: 'former-names-of-user',
  text: `
    SELECT i.canonical, d.domain FROM login_identifiers i
    JOIN user_migrations m ON m.org_id = i.org_id AND m.ends_at > app_now() - ${NAMES_KEPT_FOR}
    ${primaryDomainJoin('i.org_id')}
    WHERE i.org_id = $1 AND i.user_id = $2`,
};

// $4: also the entries of a directory that belong to the user
const REMEMBER_OF_USER = {
  name: 'former-names-remember-of-user',
  text: `
    INSERT INTO user_migration_names (org_id, name_hash)
    SELECT m.org_id, hash FROM (SELECT org_id FROM user_migrations WHERE org_id = $1 FOR KEY SHARE) m, (
      SELECT unnest($3::bytea[]) UNION
      SELECT entry_hash FROM user_migration_entries WHERE org_id = $1 AND user_id = $2 AND $4
    ) AS gone (hash)
    ON CONFLICT (org_id, name_hash) DO NOTHING`,
};

/**
 * Stores the names of one user before they change, or before the user is deleted. An entry of a directory belongs to its user until
 * that user is deleted.
 */
export async function rememberNamesOfUser(
  sql: Sql,
  sealer: Sealer,
  tx: Tx,
  {
    orgId,
    userId,
    isDeleted,
  }: { readonly orgId: OrgId; readonly userId: UserId; readonly isDeleted: boolean },
): Promise<void> {
  type Name = { canonical: string; domain: string | null };
  const found = await sql.rows<Name>(NAMES_OF_USER, [orgId, userId], tx);
  if (found.length === 0) return;
  const hashes = found
    .flatMap(({ canonical, domain }) => spellings(canonical, domain))
    .map((name) => migrationNameHash(sealer, orgId, name));
  await sql.change(REMEMBER_OF_USER, [orgId, userId, hashes, isDeleted], tx);
}

/** A user, and the names that they will have; in canonical form. */
interface NewNames {
  readonly id: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  readonly email: string | undefined;
}

const WITH_MIGRATION = {
  name: 'former-names-with-migration',
  text: `
    SELECT m.org_id AS id, d.domain FROM user_migrations m
    ${primaryDomainJoin('m.org_id')}
    WHERE m.org_id = ANY ($1::text[]) AND m.ends_at > app_now() - ${NAMES_KEPT_FOR}`,
};

// of users and their new names: the names that they lose
const LOST_NAMES = {
  name: 'former-names-lost',
  text: `
    SELECT i.org_id, i.canonical
    FROM jsonb_to_recordset($1::jsonb) AS g (id text, org_id text, user_name text, email text)
    JOIN login_identifiers i ON i.org_id = g.org_id AND i.user_id = g.id
    WHERE i.canonical IS DISTINCT FROM CASE i.kind WHEN 'user_name' THEN g.user_name ELSE g.email END`,
};

/** Stores the names that an import takes from users. One look-up if none of their organizations has a migration. */
export async function rememberLostNames(
  sql: Sql,
  sealer: Sealer,
  tx: Tx,
  users: readonly NewNames[],
): Promise<void> {
  const orgIds = [...new Set(users.map(({ orgId }) => orgId))];
  const found = await sql.rows<{ id: OrgId; domain: string | null }>(WITH_MIGRATION, [orgIds], tx);
  if (found.length === 0) return;
  const domains = new Map(found.map(({ id, domain }) => [id, domain]));
  const renamed = users
    .filter(({ orgId }) => domains.has(orgId))
    .map(({ id, orgId: org_id, userName: user_name, email }) => ({ id, org_id, user_name, email }));
  type Name = { org_id: OrgId; canonical: string };
  const names = await sql.rows<Name>(LOST_NAMES, [JSON.stringify(renamed)], tx);
  if (names.length === 0) return;
  const remembered = names.flatMap(({ org_id: orgId, canonical }) =>
    spellings(canonical, domains.get(orgId)).map((name) => ({
      orgId,
      hash: migrationNameHash(sealer, orgId, name),
    })),
  );
  const values = [remembered.map(({ orgId }) => orgId), remembered.map(({ hash }) => hash)];
  await sql.change(REMEMBER, values, tx);
}

/** A name alone, and as a full login name. */
function spellings(canonical: string, domain: string | null | undefined): readonly string[] {
  return [canonical, `${canonical}@${domain ?? ''}`];
}
