import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { ChainKey, KeyChain, KeysNow, ListedKey } from '../../../domain/signing-keys/chain-key.js';
import { KeyChainsStore, type AffectedByRotation } from '../../../domain/signing-keys/key-chains.store.js';
import type { KeySchedule } from '../../../domain/signing-keys/key-schedule.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';

const OWNER = `(SELECT default_org_id FROM instance) AS org_id`;
const STATE_COLUMNS = `state, activates_at, current_since, previous_since, retires_at, gone_at, by_emergency,
  sequence, created_at, changed_at, ${OWNER}`;
const ALL = `
  SELECT kid AS id, algorithm AS chain, ${STATE_COLUMNS} FROM signing_keys
  UNION ALL
  SELECT id::text, 'opaque', ${STATE_COLUMNS} FROM token_keys`;

const NOW = {
  name: 'key-chains-now',
  text: `
    SELECT app_now() AS now, s.rotation_seconds, s.lead_seconds, k.*
    FROM key_schedule s
    LEFT JOIN (SELECT * FROM (${ALL}) AS every WHERE state <> 'gone') AS k ON true
    ORDER BY k.created_at, k.id`,
};
const LIST = pageStatement('key-chains-list', {
  select: `
    SELECT *, id AS name,
      (SELECT count(*)::int FROM key_set_readers r WHERE r.last_read_at >= every.created_at) AS readers
    FROM (${ALL}) AS every`,
});
const FIND = { name: 'key-chains-find', text: `SELECT * FROM (${ALL}) AS every WHERE id = $1` };

/** One change of state, of a signing key or of a token key. What is gone or has signed keeps no secret half. */
interface Change {
  readonly signing: Statement;
  readonly opaque: Statement;
}

function change(name: string, from: string, set: string, forSigning = '', forOpaque = ''): Change {
  const text = (table: string, key: string, more: string) => `
    UPDATE ${table} SET ${set}${more}, sequence = sequence + 1, changed_at = app_now()
    WHERE ${key} = $1 AND ${from}
    RETURNING sequence, created_at, changed_at, ${OWNER}`;
  return {
    signing: { name: `signing-keys-${name}`, text: text('signing_keys', 'kid', forSigning) },
    opaque: { name: `token-keys-${name}`, text: text('token_keys', 'id::text', forOpaque) },
  };
}

const ERASE = ', private_sealed = NULL, data_key_id = NULL';
const STOP_SIGNING = change(
  'stop',
  `state = 'current'`,
  `state = 'previous', previous_since = app_now(), retires_at = $2`,
  ERASE,
);
const START_SIGNING = change('start', `state = 'next'`, `state = 'current', current_since = app_now()`);
const MOVE_TAKEOVER = change('move', `state = 'next'`, `activates_at = $2`);
const END = change(
  'end',
  `state <> 'current' AND removed_at IS NULL AND (state <> 'gone' OR $2 = 'removed')`,
  `state = 'gone', gone_at = coalesce(gone_at, app_now()),
   removed_at = CASE WHEN $2 = 'removed' THEN app_now() END`,
  ERASE,
  `, sealed = ''`,
);

const SCHEDULE_COLUMNS = `rotation_seconds, lead_seconds, sequence, created_at, changed_at, ${OWNER}`;
const SCHEDULE = { name: 'key-schedule-find', text: `SELECT ${SCHEDULE_COLUMNS} FROM key_schedule` };
const REPLACE_SCHEDULE = {
  name: 'key-schedule-replace',
  text: `UPDATE key_schedule SET rotation_seconds = $1, lead_seconds = $2, sequence = sequence + 1,
           changed_at = app_now()
         RETURNING ${SCHEDULE_COLUMNS}`,
};

const MOST_COUNTED = 100_000;
const AFFECTED = {
  name: 'key-chains-affected',
  text: `
    SELECT count(*)::int AS grants, count(DISTINCT application_id)::int AS applications,
      (SELECT count(*)::int FROM key_set_readers, key_schedule
        WHERE last_read_at > app_now() - make_interval(secs => lead_seconds)) AS key_set_readers
    FROM (SELECT application_id FROM grants WHERE revoked_at IS NULL LIMIT ${MOST_COUNTED}) AS alive`,
};

type KeyRow = ResourceRow & {
  id: string;
  chain: KeyChain;
  state: ChainKey['state'];
  activates_at: Date | null;
  current_since: Date | null;
  previous_since: Date | null;
  retires_at: Date | null;
  gone_at: Date | null;
  by_emergency: boolean;
};
type ScheduleRow = { rotation_seconds: number; lead_seconds: number };

function toChainKey(row: KeyRow): ChainKey {
  return {
    id: row.id,
    chain: row.chain,
    state: row.state,
    createdAt: row.created_at,
    activatesAt: row.activates_at,
    currentSince: row.current_since,
    previousSince: row.previous_since,
    retiresAt: row.retires_at,
    goneAt: row.gone_at,
    byEmergency: row.by_emergency,
    details: detailsOf(row),
  };
}

function toSchedule(row: ScheduleRow): KeySchedule {
  return { rotationSeconds: row.rotation_seconds, leadSeconds: row.lead_seconds };
}

@Injectable()
export class PgKeyChainsStore extends KeyChainsStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async now(tx?: Tx): Promise<KeysNow> {
    const rows = await this.sql.rows<ScheduleRow & { now: Date } & (KeyRow | { id: null })>(NOW, [], tx);
    const [first] = rows;
    if (first === undefined) throw new Error('the key schedule has no row');
    return {
      now: first.now,
      schedule: toSchedule(first),
      keys: rows.flatMap((row) => (row.id === null ? [] : [toChainKey(row)])),
    };
  }

  override async list(query: PageQuery): Promise<Page<ListedKey>> {
    const rows = await this.sql.rows<PageRow<KeyRow & { readers: number }>>(LIST, pageValues(query));
    return pageOf(rows, (row) => ({ ...toChainKey(row), readers: row.readers }));
  }

  override async find(tx: Tx, id: string): Promise<ChainKey | undefined> {
    const row = await this.sql.row<KeyRow>(FIND, [id], tx);
    return row && toChainKey(row);
  }

  override async stopSigning(tx: Tx, key: ChainKey, retiresAt: Date): Promise<ResourceDetails | undefined> {
    return await this.change(tx, STOP_SIGNING, key, retiresAt);
  }

  override async startSigning(tx: Tx, key: ChainKey): Promise<ResourceDetails | undefined> {
    return await this.change(tx, START_SIGNING, key);
  }

  override async moveTakeover(
    tx: Tx,
    key: ChainKey,
    activatesAt: Date,
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, MOVE_TAKEOVER, key, activatesAt);
  }

  override async end(
    tx: Tx,
    key: ChainKey,
    how: 'retired' | 'removed',
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, END, key, how);
  }

  override async schedule(tx?: Tx): Promise<{ schedule: KeySchedule; details: ResourceDetails }> {
    const row = await this.sql.row<ScheduleRow & ResourceRow>(SCHEDULE, [], tx);
    if (row === undefined) throw new Error('the key schedule has no row');
    return { schedule: toSchedule(row), details: detailsOf(row) };
  }

  override async replaceSchedule(tx: Tx, schedule: KeySchedule): Promise<ResourceDetails> {
    const values = [schedule.rotationSeconds, schedule.leadSeconds];
    const row = await this.sql.row<ScheduleRow & ResourceRow>(REPLACE_SCHEDULE, values, tx);
    if (row === undefined) throw new Error('the key schedule has no row');
    return detailsOf(row);
  }

  override async affected(): Promise<AffectedByRotation> {
    const row = await this.sql.row<{ grants: number; applications: number; key_set_readers: number }>(
      AFFECTED,
      [],
    );
    if (row === undefined) throw new Error('a count gives a row');
    return { grants: row.grants, applications: row.applications, keySetReaders: row.key_set_readers };
  }

  private async change(
    tx: Tx,
    { signing, opaque }: Change,
    { id, chain }: ChainKey,
    ...more: readonly unknown[]
  ): Promise<ResourceDetails | undefined> {
    const row = await this.sql.row<ResourceRow>(chain === 'opaque' ? opaque : signing, [id, ...more], tx);
    return row && detailsOf(row);
  }
}
