// SQL by hand: expired rows are deleted in batches, without waiting for locks (SKIP LOCKED)
import type { Retention } from '../../../domain/maintenance/maintenance.store.js';
import { insertEvents } from '../events/insert-events.js';
import type { Statement } from '../statement.js';
import { NAMES_KEPT_FOR } from '../user-migration/former-names.js';

/** One kind of rows that expire: the statement that deletes up to $1 of them, and for how many seconds ($2) they are kept after that. */
export interface Removal {
  readonly statement: Statement;
  readonly keptSeconds?: (retention: Retention) => number;
}

/** A subquery, since `app_now()` is volatile and could not be used in an index condition. */
const NOW = '(SELECT app_now())';
const KEPT = `${NOW} - make_interval(secs => $2)`;

interface RemovalOptions {
  /** FROM of the rows; by default the table itself, as `t`. */
  readonly from?: string;
  readonly keptSeconds?: (retention: Retention) => number;
}

/** `FOR UPDATE SKIP LOCKED`: two workers at once share the rows, and neither waits for a request that holds one. */
function removeFrom(
  table: string,
  key: readonly string[],
  condition: string,
  { from = `${table} t`, ...kept }: RemovalOptions = {},
): Removal {
  const statement = {
    name: `upkeep-remove-${table}`,
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT ${key.map((column) => `t.${column}`).join(', ')} FROM ${from}
        WHERE ${condition} LIMIT $1 FOR UPDATE OF t SKIP LOCKED
      )
      DELETE FROM ${table} t USING doomed d WHERE ${key.map((column) => `t.${column} = d.${column}`).join(' AND ')}`,
  };
  return { statement, ...kept };
}

const MIGRATION_OVER = `m.ends_at < ${NOW} - ${NAMES_KEPT_FOR}`;

/** The organizations that have entries: each is found by one index look-up, however many entries there are. */
const WITH_ENTRIES = `(
  WITH RECURSIVE found AS (
    SELECT min(org_id) AS org_id FROM user_migration_entries
    UNION ALL
    SELECT (SELECT min(e.org_id) FROM user_migration_entries e WHERE e.org_id > f.org_id)
    FROM found f WHERE f.org_id IS NOT NULL
  )
  SELECT org_id FROM found WHERE org_id IS NOT NULL)`;

/** An access token issued just before the end of a family can live for 30 days, and needs its authorization for as long. */
const FAMILY_OVER = `${NOW} - interval '31 days'`;

// rows are kept for a day after their expiry where a late request then gets a more precise error; not user agents and requests, since
// anybody can create these
export const REMOVALS: Readonly<Record<string, Removal>> = {
  auth_requests: removeFrom('auth_requests', ['id'], `t.expires_at < ${NOW}`),
  codes: removeFrom('codes', ['hash'], `t.expires_at < ${NOW} - interval '1 day'`),
  // except while an authorization exists that the token was exchanged for: without this row it would count as valid
  revoked_tokens: removeFrom(
    'revoked_tokens',
    ['jti'],
    `t.expires_at < ${NOW} - interval '1 hour' AND NOT EXISTS (
       SELECT FROM authorizations g
       WHERE g.lineage_tokens @> ARRAY[t.jti] AND g.lineage_tokens IS NOT NULL AND g.revoked_at IS NULL)`,
  ),
  used_assertions: removeFrom('used_assertions', ['hash'], `t.expires_at < ${NOW}`),
  used_proofs: removeFrom('used_proofs', ['hash'], `t.expires_at < ${NOW}`),
  // before their family, since a client that refreshes every minute leaves a hundred thousand of them
  refresh_tokens: removeFrom('refresh_tokens', ['hash'], `f.absolute_expires_at < ${FAMILY_OVER}`, {
    from: 'refresh_token_families f JOIN refresh_tokens t ON t.authorization_id = f.authorization_id',
  }),
  refresh_token_families: removeFrom(
    'refresh_token_families',
    ['authorization_id'],
    `t.absolute_expires_at < ${FAMILY_OVER}
       AND NOT EXISTS (SELECT FROM refresh_tokens r WHERE r.authorization_id = t.authorization_id)`,
  ),
  sessions: removeFrom('sessions', ['id'], `t.ended_at < ${KEPT}`, {
    keptSeconds: ({ sessionSeconds }) => sessionSeconds,
  }),
  user_agents: removeFrom(
    'user_agents',
    ['id'],
    `t.last_seen_at < ${NOW} - interval '2 days'
       AND NOT EXISTS (SELECT FROM sessions s WHERE s.user_agent_id = t.id)
       AND NOT EXISTS (SELECT FROM auth_requests r WHERE r.user_agent_id = t.id)
       AND NOT EXISTS (SELECT FROM trusted_browsers b WHERE b.user_agent_id = t.id)`,
  ),
  verification_codes: removeFrom('verification_codes', ['id'], `t.expires_at < ${NOW} - interval '1 day'`),
  trusted_browsers: removeFrom('trusted_browsers', ['user_agent_id', 'user_id'], `t.expires_at < ${NOW}`),
  passkey_challenges: removeFrom('passkey_challenges', ['hash'], `t.expires_at < ${NOW}`),
  external_sign_ins: removeFrom('external_sign_ins', ['state_hash'], `t.expires_at < ${NOW}`),
  provider_sign_outs: removeFrom('provider_sign_outs', ['state_hash'], `t.expires_at < ${NOW}`),
  // failures are forgotten by then
  name_attempts: removeFrom('name_attempts', ['place', 'name_hash'], `t.last_at < ${NOW} - interval '1 day'`),
  // names of migrated users, once the old system is no longer queried
  user_migration_names: removeFrom('user_migration_names', ['org_id', 'name_hash'], MIGRATION_OVER, {
    from: 'user_migrations m JOIN user_migration_names t ON t.org_id = m.org_id',
  }),
  // also of users migrated while the migration was being removed
  user_migration_entries: removeFrom(
    'user_migration_entries',
    ['org_id', 'entry_hash'],
    `(m.org_id IS NULL OR ${MIGRATION_OVER})`,
    {
      from: `${WITH_ENTRIES} o JOIN user_migration_entries t ON t.org_id = o.org_id
        LEFT JOIN user_migrations m ON m.org_id = o.org_id`,
    },
  ),
  totp_enrolments: removeFrom('totp_enrolments', ['user_id'], `t.expires_at < ${NOW}`),
  sms_quotas: removeFrom('sms_quotas', ['id'], `t.ends_at < ${NOW}`),
  // kept for longer than the longest window
  sms_sends: removeFrom('sms_sends', ['code_id'], `t.created_at < ${NOW} - interval '31 days'`),
  sms_blocks: removeFrom('sms_blocks', ['prefix'], `t.blocked_until < ${NOW} - interval '31 days'`),
  // kept for an hour, so that a device that polls late gets expired_token
  device_authorizations: removeFrom(
    'device_authorizations',
    ['id'],
    `t.expires_at < ${NOW} - interval '1 hour'`,
  ),
  // registered clients that nobody uses, with all rows that refer to them; few at once, since deleting each one searches all
  // authorizations. Inactive clients stay, since their document would register them again as active; so do those with access to the APIs
  client_registrations: {
    statement: {
      name: 'upkeep-remove-unused-clients',
      text: `
        WITH doomed AS MATERIALIZED (
          SELECT a.id FROM client_registrations r JOIN applications a ON a.id = r.application_id
          WHERE r.expires_at < ${NOW} AND a.state = 'active' AND a.management_access = 'none'
          LIMIT least($1, 100) FOR UPDATE OF r, a SKIP LOCKED
        ), removed AS (
          DELETE FROM applications a USING doomed d WHERE a.id = d.id
          RETURNING a.id, a.org_id, a.project_id, a.sequence
        )
        ${insertEvents('data')}
        SELECT org_id, 'application', id, sequence + 1, 'application.removed',
          jsonb_build_object('projectId', project_id, 'reason', 'registration_unused')
        FROM removed`,
    },
  },
  initial_access_tokens: removeFrom(
    'initial_access_tokens',
    ['id'],
    `t.expires_at < ${NOW} - interval '30 days'`,
  ),
  pushed_requests: removeFrom('pushed_requests', ['hash'], `t.expires_at < ${NOW}`),
  // kept for as long as they count for the limit of mails to one address
  registrations: removeFrom('registrations', ['id'], `t.expires_at < ${NOW} - interval '1 hour'`),
  // kept for 400 days, to compare with the year before; the longest chart shows 30 days
  organization_counts: removeFrom(
    'organization_counts',
    ['org_id', 'hour', 'counted'],
    `t.hour < ${NOW} - interval '400 days'`,
  ),
  instance_counts: removeFrom(
    'instance_counts',
    ['hour', 'counted'],
    `t.hour < ${NOW} - interval '400 days'`,
  ),
  // numbers of recurring alarms, which continue if an alarm recurs within 400 days; those of the instance are one row per kind, and stay
  alarms: removeFrom('alarms', ['kind'], `t.raised_at < ${NOW} - interval '400 days' AND t.kind LIKE '% %'`),
  logout_notices: removeFrom('logout_notices', ['id'], `t.finished_at < ${KEPT}`, {
    keptSeconds: ({ noticeSeconds }) => noticeSeconds,
  }),
  webhook_dead_letters: removeFrom(
    'webhook_dead_letters',
    ['id'],
    `t.created_at < ${KEPT} AND t.state = 'dead'`,
    { keptSeconds: ({ noticeSeconds }) => noticeSeconds },
  ),
  notifications: removeFrom('notifications', ['id'], `t.finished_at < ${KEPT}`, {
    keptSeconds: ({ noticeSeconds }) => noticeSeconds,
  }),
  idempotency_keys: removeFrom(
    'idempotency_keys',
    ['caller', 'org_id', 'route', 'key'],
    `t.expires_at < ${NOW}`,
  ),
  // the process that was receiving the file has died: its lease has lapsed
  import_uploads: {
    keptSeconds: ({ importSeconds }) => importSeconds,
    statement: {
      name: 'upkeep-give-up-uploads',
      text: `
        WITH silent AS MATERIALIZED (
          SELECT id FROM imports WHERE state = 'reading'
            AND coalesce(reading_until, changed_at + interval '1 hour') < ${NOW}
          LIMIT least($1, 20) FOR UPDATE SKIP LOCKED
        ), abandoned AS (
          UPDATE imports j SET state = 'failed', reason = 'source_incomplete', caller_key = NULL,
            finished_at = app_now(), expires_at = app_now() + make_interval(secs => $2), sequence = sequence + 1,
            changed_at = app_now(), bytes_held = 0
          FROM silent WHERE j.id = silent.id RETURNING j.id, j.org_id, j.sequence, j.created_by, j.reason
        ), emptied AS (
          UPDATE import_chunks c SET state = 'cancelled', payload = NULL, data_key_id = NULL, finished_at = app_now()
          FROM abandoned WHERE c.import_id = abandoned.id
        )
        ${insertEvents('actorId', 'data')}
        SELECT org_id, 'import', id, sequence, 'import.failed', created_by, jsonb_build_object('reason', reason)
        FROM abandoned`,
    },
  },
  // the content of a dead letter is kept only for as long as it can be replayed
  dead_letters: {
    statement: {
      name: 'upkeep-erase-dead-letters',
      text: `
        WITH doomed AS MATERIALIZED (
          SELECT n.id FROM notifications n
          WHERE n.dead_letter AND n.content_sealed IS NOT NULL
            AND coalesce(n.expires_at, n.finished_at + interval '7 days') < ${NOW}
          LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        UPDATE notifications n SET content_sealed = NULL, data_key_id = NULL FROM doomed WHERE n.id = doomed.id`,
    },
  },
  // few at a time, since each takes up to 10,000 rows of users along
  bulk_actions: {
    statement: {
      name: 'upkeep-remove-bulk-actions',
      text: `
        WITH doomed AS MATERIALIZED (
          SELECT t.id FROM bulk_actions t WHERE t.finished_at < ${NOW} - interval '30 days'
          LIMIT least($1, 5) FOR UPDATE SKIP LOCKED
        )
        DELETE FROM bulk_actions t USING doomed d WHERE t.id = d.id`,
    },
  },
  // names are needed only while records are written, and an import can have millions
  import_names: {
    statement: {
      name: 'upkeep-remove-import-names',
      text: `
        WITH doomed AS MATERIALIZED (
          SELECT n.import_id, n.hash FROM imports j JOIN import_names n ON n.import_id = j.id
          WHERE j.finished_at IS NOT NULL LIMIT $1
        )
        DELETE FROM import_names n USING doomed d WHERE n.import_id = d.import_id AND n.hash = d.hash`,
    },
  },
  // before their import, since each row is as large as a thousand records
  import_chunks: removeFrom(
    'import_chunks',
    ['import_id', 'number'],
    `j.expires_at < ${NOW} AND j.finished_at IS NOT NULL`,
    { from: 'imports j JOIN import_chunks t ON t.import_id = j.id' },
  ),
  imports: removeFrom(
    'imports',
    ['id'],
    `t.expires_at < ${NOW} AND t.finished_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM import_chunks c WHERE c.import_id = t.id)
       AND NOT EXISTS (SELECT FROM import_names n WHERE n.import_id = t.id)`,
  ),
};
