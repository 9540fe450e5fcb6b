// SQL by hand: unused rows are found and deleted in batches, and the same statement stores where the next batch begins
import type { WalkedKind } from '../../../domain/maintenance/maintenance.store.js';
import type { Statement } from '../statement.js';

const NOW = '(SELECT app_now())';

/** The kind is the key of the stored place and of lineages. */
interface Walked {
  readonly kind: WalkedKind;
  readonly table: string;
}

/**
 * Reads the next $1 rows that are older than $2 seconds, deletes the unused ones, and stores where to continue, in one statement. WITH
 * TIES, so that rows with the same time are always in the same batch.
 */
function walk({ kind, table }: Walked, living: string, unused: string): Statement {
  return {
    name: `upkeep-walk-${kind}`,
    text: `
      WITH seen AS MATERIALIZED (
        SELECT t.id, t.created_at FROM ${table} t
        WHERE t.created_at > coalesce((SELECT walked_to FROM upkeep_walks WHERE kind = '${kind}'), '-infinity')
          AND t.created_at < ${NOW} - make_interval(secs => $2) AND ${living}
        ORDER BY t.created_at FETCH FIRST $1 ROWS WITH TIES
      ), doomed AS MATERIALIZED (
        SELECT t.id FROM ${table} t JOIN seen ON seen.id = t.id WHERE ${unused} FOR UPDATE OF t SKIP LOCKED
      ), gone AS (
        DELETE FROM ${table} t USING doomed WHERE t.id = doomed.id RETURNING t.id
      ), kept AS (
        INSERT INTO upkeep_walks AS w (kind, walked_to)
        SELECT '${kind}', CASE WHEN count(*) < $1 THEN '-infinity' ELSE max(created_at) END FROM seen
        ON CONFLICT (kind) DO UPDATE SET walked_to = excluded.walked_to, changed_at = app_now()
      )
      SELECT (SELECT count(*) FROM seen)::int AS looked, (SELECT count(*) FROM gone)::int AS removed`,
  };
}

/** SQL: whether a live authorization of a token exchange depends on it, directly or through others. */
const hasExchangeFrom = (kind: WalkedKind) => `EXISTS (
  SELECT FROM authorizations h
  WHERE h.lineage IS NOT NULL AND h.lineage @> jsonb_build_object('${kind}', jsonb_build_array(t.id))
    AND h.revoked_at IS NULL)`;

// refreshed tokens name the session for as long as it exists; families are deleted when none of their tokens can be valid (removals.ts)
const SESSIONS = walk(
  { kind: 'sessions', table: 'sessions' },
  't.ended_at IS NULL',
  `least(t.last_used_at + make_interval(secs => $3), t.auth_time + make_interval(secs => $4))
     < ${NOW} - make_interval(secs => $2)
   AND NOT EXISTS (SELECT FROM authorizations g JOIN refresh_token_families f ON f.authorization_id = g.id WHERE g.session_id = t.id)
   AND NOT ${hasExchangeFrom('sessions')}`,
);

// a logout looks up which applications were used in the session: the newest authorization of each is kept for that
const GRANTS = walk(
  { kind: 'grants', table: 'authorizations' },
  'true',
  `NOT EXISTS (SELECT FROM refresh_token_families f WHERE f.authorization_id = t.id)
   AND (t.session_id IS NULL
     OR EXISTS (SELECT FROM sessions s WHERE s.id = t.session_id AND s.ended_at IS NOT NULL)
     OR EXISTS (SELECT FROM authorizations n WHERE n.session_id = t.session_id AND n.application_id = t.application_id
                  AND n.created_at > t.created_at))
   AND (t.revoked_at IS NOT NULL OR NOT ${hasExchangeFrom('grants')})`,
);

export const WALKS: Readonly<Record<WalkedKind, Statement>> = { sessions: SESSIONS, grants: GRANTS };
