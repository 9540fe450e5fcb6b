import { Injectable } from '@nestjs/common';
import { UpkeepStore } from '../../domain/maintenance/upkeep.store.js';
import { Sql } from './sql.js';
import type { Statement } from './statement.js';

/** `FOR UPDATE SKIP LOCKED`: two workers at once share the rows, and neither waits for a request that holds one. */
function removeFrom(table: string, key: string, condition: string): Statement {
  return {
    name: `upkeep-remove-${table}`,
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT ${key} FROM ${table} t WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ${table} USING doomed WHERE ${table}.${key} = doomed.${key}`,
  };
}

const NOW = '(SELECT app_now())';

// a day's grace where a late comer is told something better by the row than by its absence; agents and requests have
// none, since anybody may cause them
const REMOVALS: Readonly<Record<string, Statement>> = {
  auth_requests: removeFrom('auth_requests', 'id', `t.expires_at < ${NOW}`),
  codes: removeFrom('codes', 'hash', `t.expires_at < ${NOW} - interval '1 day'`),
  // but for one that something hangs from which it was exchanged for: that must stay as dead
  revoked_tokens: removeFrom(
    'revoked_tokens',
    'jti',
    `t.expires_at < ${NOW} - interval '1 hour' AND NOT EXISTS (
       SELECT FROM grants g
       WHERE g.tied_tokens @> ARRAY[t.jti] AND g.tied_tokens IS NOT NULL AND g.revoked_at IS NULL)`,
  ),
  used_assertions: removeFrom('used_assertions', 'hash', `t.expires_at < ${NOW}`),
  refresh_token_families: removeFrom(
    'refresh_token_families',
    'grant_id',
    `t.absolute_expires_at < ${NOW} - interval '1 day'`,
  ),
  sessions: removeFrom('sessions', 'id', `t.ended_at < ${NOW} - interval '30 days'`),
  user_agents: removeFrom(
    'user_agents',
    'id',
    `t.last_seen_at < ${NOW} - interval '2 days'
       AND NOT EXISTS (SELECT FROM sessions s WHERE s.user_agent_id = t.id)
       AND NOT EXISTS (SELECT FROM auth_requests r WHERE r.user_agent_id = t.id)`,
  ),
  verification_codes: removeFrom('verification_codes', 'id', `t.expires_at < ${NOW} - interval '1 day'`),
  sms_quotas: removeFrom('sms_quotas', 'id', `t.ends_at < ${NOW}`),
  // for longer than the longest window
  sms_sends: removeFrom('sms_sends', 'code_id', `t.created_at < ${NOW} - interval '31 days'`),
  sms_blocks: removeFrom('sms_blocks', 'prefix', `t.blocked_until < ${NOW} - interval '31 days'`),
  // kept for as long as they count against what one address is sent
  registrations: removeFrom('registrations', 'id', `t.expires_at < ${NOW} - interval '1 hour'`),
  logout_notices: removeFrom('logout_notices', 'id', `t.finished_at < ${NOW} - interval '90 days'`),
  // with their chunks: what became of each record goes with the job
  import_jobs: removeFrom('import_jobs', 'id', `t.expires_at < ${NOW} AND t.finished_at IS NOT NULL`),
  notifications: removeFrom('notifications', 'id', `t.finished_at < ${NOW} - interval '90 days'`),
};

const REMOVE_IDEMPOTENCY_KEYS = {
  name: 'upkeep-remove-idempotency_keys',
  text: `
    WITH doomed AS MATERIALIZED (
      SELECT caller, org_id, route, key FROM idempotency_keys
      WHERE expires_at < (SELECT app_now()) LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys k USING doomed d
    WHERE k.caller = d.caller AND k.org_id = d.org_id AND k.route = d.route AND k.key = d.key`,
};

// whoever received the file died over it: every chunk of it would have said that it still comes
const GIVE_UP_UPLOADS = {
  name: 'upkeep-give-up-uploads',
  text: `
    WITH abandoned AS (
      UPDATE import_jobs SET state = 'failed', reason = 'source_incomplete', caller_key = NULL,
        finished_at = app_now(), expires_at = app_now() + interval '30 days', sequence = sequence + 1,
        changed_at = app_now()
      WHERE state = 'reading' AND changed_at < (SELECT app_now()) - interval '1 hour' RETURNING id
    )
    UPDATE import_chunks c SET state = 'cancelled', payload = NULL, data_key_id = NULL, finished_at = app_now()
    FROM abandoned WHERE c.job_id = abandoned.id`,
};

// a dead letter keeps what it says only for as long as it can be replayed
const ERASE_DEAD_LETTERS = {
  name: 'upkeep-erase-dead-letters',
  text: `
    WITH doomed AS MATERIALIZED (
      SELECT n.id FROM notifications n
      WHERE n.dead_letter AND n.content_sealed IS NOT NULL
        AND coalesce(n.expires_at, n.finished_at + interval '7 days') < (SELECT app_now())
      LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    UPDATE notifications n SET content_sealed = NULL, data_key_id = NULL FROM doomed WHERE n.id = doomed.id`,
};

// names are needed while records are written, and a job can have millions
const REMOVE_IMPORT_NAMES = {
  name: 'upkeep-remove-import-names',
  text: `
    WITH doomed AS MATERIALIZED (
      SELECT n.job_id, n.hash FROM import_jobs j JOIN import_names n ON n.job_id = j.id
      WHERE j.finished_at IS NOT NULL LIMIT $1
    )
    DELETE FROM import_names n USING doomed d WHERE n.job_id = d.job_id AND n.hash = d.hash`,
};

const ENSURE_PARTITIONS = {
  name: 'upkeep-ensure-event-partitions',
  text: `SELECT ensure_event_partitions()`,
};

@Injectable()
export class PgUpkeepStore extends UpkeepStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async removeExpired(limit: number): Promise<Readonly<Record<string, number>>> {
    const removed: Record<string, number> = {};
    for (const [table, statement] of Object.entries(REMOVALS)) {
      removed[table] = await this.sql.change(statement, [limit]);
    }
    removed['idempotency_keys'] = await this.sql.change(REMOVE_IDEMPOTENCY_KEYS, [limit]);
    removed['import_uploads'] = await this.sql.change(GIVE_UP_UPLOADS, []);
    removed['dead_letters'] = await this.sql.change(ERASE_DEAD_LETTERS, [limit]);
    removed['import_names'] = await this.sql.change(REMOVE_IMPORT_NAMES, [limit]);
    return removed;
  }

  override async ensureEventPartitions(): Promise<void> {
    await this.sql.rows(ENSURE_PARTITIONS, []);
  }
}
