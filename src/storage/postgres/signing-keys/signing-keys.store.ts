// SQL by hand: the keys of two tables are read as one list, and readers of the key set are counted in sets
import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { ChainKey, KeyChain, KeysNow, ListedKey } from '../../../domain/signing-keys/chain-key.js';
import type { KeySchedule } from '../../../domain/signing-keys/key-schedule.js';
import type { NewSigningKey, SigningKey } from '../../../domain/signing-keys/signing-key.js';
import {
  SigningKeysStore,
  type AffectedApplication,
  type AffectedByRotation,
  type KeySetReader,
  type NewTokenKey,
  type StoredPrivateKey,
  type StoredTokenKey,
} from '../../../domain/signing-keys/signing-keys.store.js';
import { advisoryLock } from '../advisory-lock.js';
import { PageStatements, type PageRow } from '../page-statement.js';
import { PagedQuery, Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { columns, COUNTED, detailsOf, pick, Table, type Changes } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { InstanceEntity } from '../tables/instance.entity.js';
import { KeyScheduleEntity } from '../tables/key-schedule.entity.js';
import { KeySetReaderEntity } from '../tables/key-set-reader.entity.js';
import { SigningKeyEntity } from '../tables/signing-key.entity.js';
import { TokenKeyEntity } from '../tables/token-key.entity.js';

const PUBLIC = ['kid', 'algorithm', 'state', 'publicJwk'] as const;
/** The state of a key, in either table. */
const STATE = [
  'state',
  'createdAt',
  'activatesAt',
  'currentSince',
  'previousSince',
  'retiresAt',
  'goneAt',
  'byEmergency',
] as const;
const COLUMNS = [...STATE, 'sequence', 'changedAt'] as const;

const RESERVE_TOKEN_KEY_ID = {
  name: 'token-keys-reserve-id',
  text: `SELECT nextval(pg_get_serial_sequence('token_keys', 'id'))::int AS id`,
};

const ALL = `
  SELECT k.kid AS id, k.algorithm AS chain, ${columns(SigningKeyEntity, 'k', COLUMNS)},
    (SELECT default_org_id FROM instance) AS "orgId" FROM signing_keys k
  UNION ALL
  SELECT k.id::text, 'opaque', ${columns(TokenKeyEntity, 'k', COLUMNS)},
    (SELECT default_org_id FROM instance) FROM token_keys k`;
// one statement, so that time, schedule and keys are of the same moment
const NOW = {
  name: 'keys-now',
  text: `
    SELECT app_now() AS now, ${columns(KeyScheduleEntity, 's', ['rotationSeconds', 'leadSeconds'])}, every.*
    FROM key_schedule s LEFT JOIN (${ALL}) AS every ON every.state <> 'gone'
    ORDER BY every."createdAt", every.id`,
};
/** How many readers are remembered: beyond it more may have come. */
const MOST_READERS = 10_000;

const LIST = new PageStatements('keys-list', {
  select: `
    SELECT *,
      (SELECT count(*)::int FROM key_set_readers r WHERE r.last_read_at >= every."createdAt") AS readers,
      (SELECT count(*) >= ${MOST_READERS} FROM key_set_readers) AS "hasMoreReaders"
    FROM (${ALL}) AS every`,
  taken: 0,
  name: 'id',
});
const FIND = { name: 'keys-find', text: `SELECT * FROM (${ALL}) AS every WHERE id = $1` };

const MOST_GRANTS = 100_000;
/** One grant more than is counted says that there are more. */
const ALIVE = `alive AS MATERIALIZED (
  SELECT row_number() OVER () AS place, application_id
  FROM (SELECT application_id FROM authorizations WHERE revoked_at IS NULL LIMIT ${MOST_GRANTS + 1}) AS a)`;
const IS_BEYOND = `(SELECT count(*) FROM alive) > ${MOST_GRANTS} AS "hasMoreGrants"`;
const AFFECTED = {
  name: 'keys-affected',
  text: `
    WITH ${ALIVE}
    SELECT count(*)::int AS grants, count(DISTINCT application_id)::int AS applications, ${IS_BEYOND},
      (SELECT count(*)::int FROM key_set_readers, key_schedule
        WHERE last_read_at > app_now() - make_interval(secs => lead_seconds)) AS "keySetReaders",
      (SELECT count(*) >= ${MOST_READERS} FROM key_set_readers) AS "hasMoreKeySetReaders"
    FROM alive WHERE place <= ${MOST_GRANTS}`,
};

// in a fixed order, so that two replicas that write at the same time do not deadlock
const RECORD_READS = {
  name: 'key-set-readers-record',
  text: `
    INSERT INTO key_set_readers AS r (reader, reads)
    SELECT q.reader, q.reads FROM unnest($1::bytea[], $2::int[]) AS q(reader, reads)
    WHERE (SELECT count(*) FROM key_set_readers) < ${MOST_READERS}
      OR EXISTS (SELECT FROM key_set_readers k WHERE k.reader = q.reader)
    ORDER BY q.reader
    ON CONFLICT (reader) DO UPDATE SET reads = r.reads + EXCLUDED.reads, last_read_at = app_now()`,
};
const FORGET_READERS = {
  name: 'key-set-readers-forget',
  text: `
    DELETE FROM key_set_readers WHERE reader IN (
      SELECT reader FROM key_set_readers WHERE last_read_at < app_now() - interval '31 days'
      ORDER BY reader LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
};

const LIST_AFFECTED = new PageStatements('key-audience-affected', {
  select: `
    WITH ${ALIVE}
    SELECT ${columns(ApplicationEntity, 'a', ['id', 'clientId', 'name', 'orgId', 'createdAt'])}, g.grants, ${IS_BEYOND}
    FROM (SELECT application_id, count(*)::int AS grants FROM alive WHERE place <= ${MOST_GRANTS}
          GROUP BY application_id) AS g
    JOIN applications a ON a.id = g.application_id`,
  taken: 0,
  name: 'name',
  isCostly: true,
});

type KeyRow = Pick<SigningKeyEntity, (typeof COLUMNS)[number]> & {
  id: string;
  chain: KeyChain;
  orgId: InstanceEntity['defaultOrgId'];
};
type ScheduleRow = Pick<KeyScheduleEntity, 'rotationSeconds' | 'leadSeconds'>;

type ReaderRow = Pick<KeySetReaderEntity, 'reads' | 'createdAt' | 'lastReadAt'> & { id: string };
type AffectedRow = Pick<ApplicationEntity, 'id' | 'clientId' | 'name' | 'orgId'> & {
  grants: number;
  hasMoreGrants: boolean;
};

/** Of both tables. */
type StateChanges = Changes<Pick<SigningKeyEntity & TokenKeyEntity, (typeof STATE)[number] | 'removedAt'>>;
/** A key that no longer signs keeps no private key; one that no longer decrypts keeps no secret. */
const SIGNS_NO_MORE = { privateSealed: null, dataKeyId: null };
const OPENS_NO_MORE = { sealed: Buffer.alloc(0) };

@Injectable()
export class PgSigningKeysStore extends SigningKeysStore {
  private readonly signingKeys: Table<SigningKeyEntity>;
  private readonly tokenKeys: Table<TokenKeyEntity>;
  private readonly schedules: Table<KeyScheduleEntity>;
  private readonly instances: Table<InstanceEntity>;
  private readonly publicKeys: Query<SigningKey, { readonly kid: string }>;
  private readonly readers: PagedQuery<ReaderRow, object>;

  constructor(private readonly sql: Sql) {
    super();
    this.signingKeys = new Table(sql, SigningKeyEntity);
    this.tokenKeys = new Table(sql, TokenKeyEntity);
    this.schedules = new Table(sql, KeyScheduleEntity);
    this.instances = new Table(sql, InstanceEntity);
    this.publicKeys = new Query(sql, 'keys-find-public', (entities) =>
      selecting(entities.createQueryBuilder(SigningKeyEntity, 'k'), PUBLIC).where(
        'k.kid = :kid AND k.removedAt IS NULL',
      ),
    );
    this.readers = new PagedQuery(sql, 'key-audience-readers', (entities) =>
      selecting(entities.createQueryBuilder(KeySetReaderEntity, 'r'), [
        'reads',
        'createdAt',
        'lastReadAt',
      ]).addSelect(`translate(encode(r.reader, 'base64'), '+/=', '-_')`, 'id'),
    );
  }

  override async lock(tx: Tx): Promise<void> {
    await advisoryLock(this.sql, tx, 'signing keys');
  }

  override async listPublished(tx?: Tx): Promise<readonly SigningKey[]> {
    // RS256 before others that were made with it: there are clients that look at the first key alone
    const order = { createdAt: 'ASC', algorithm: 'DESC', kid: 'ASC' } as const;
    const rows = await this.signingKeys.list({ state: Not('gone' as const) }, order, tx);
    return rows.map((row) => pick(row, PUBLIC));
  }

  override async listCurrentPrivate(): Promise<readonly StoredPrivateKey[]> {
    const rows = await this.signingKeys.list({ state: 'current' }, { kid: 'ASC' });
    return rows.flatMap(({ kid, algorithm, privateSealed, dataKeyId }) =>
      privateSealed === null || dataKeyId === null ? [] : [{ kid, algorithm, privateSealed, dataKeyId }],
    );
  }

  override async findPublic(kid: string): Promise<SigningKey | undefined> {
    return await this.publicKeys.row({ kid });
  }

  override async add(tx: Tx, key: NewSigningKey): Promise<void> {
    await this.signingKeys.add(tx, { ...key, ...sinceNow(key.state) });
  }

  override async listTokenKeys(tx?: Tx): Promise<readonly StoredTokenKey[]> {
    const rows = await this.tokenKeys.list({ state: Not('gone' as const) }, { id: 'DESC' }, tx);
    return rows.map((row) => pick(row, ['id', 'state', 'sealed', 'dataKeyId']));
  }

  override async reserveTokenKeyId(tx: Tx): Promise<number> {
    const row = await this.sql.row<{ id: number }>(RESERVE_TOKEN_KEY_ID, [], tx);
    if (row === undefined) throw new Error('no id from the sequence');
    return row.id;
  }

  override async addTokenKey(tx: Tx, key: NewTokenKey): Promise<void> {
    await this.tokenKeys.add(tx, { ...key, ...sinceNow(key.state) });
  }

  override async now(tx?: Tx): Promise<KeysNow> {
    const rows = await this.sql.rows<ScheduleRow & { now: Date } & (KeyRow | { id: null })>(NOW, [], tx);
    const [first] = rows;
    if (first === undefined) throw noSchedule();
    return {
      now: first.now,
      schedule: pick(first, ['rotationSeconds', 'leadSeconds']),
      keys: rows.flatMap((row) => (row.id === null ? [] : [chainKeyOf(row)])),
    };
  }

  override async list(query: PageQuery): Promise<Page<ListedKey>> {
    const rows = await this.sql.rows<PageRow<KeyRow & Pick<ListedKey, 'readers' | 'hasMoreReaders'>>>(
      LIST.of(query),
      LIST.values(query),
    );
    return LIST.page(rows, query, (row) => ({
      ...chainKeyOf(row),
      ...pick(row, ['readers', 'hasMoreReaders']),
    }));
  }

  override async find(tx: Tx, id: string): Promise<ChainKey | undefined> {
    const row = await this.sql.row<KeyRow>(FIND, [id], tx);
    return row && chainKeyOf(row);
  }

  override async stopSigning(tx: Tx, key: ChainKey, retiresAt: Date): Promise<ResourceDetails | undefined> {
    const stopped = { state: 'previous', previousSince: () => 'app_now()', retiresAt } as const;
    return await this.change(tx, key, { state: 'current' }, stopped, SIGNS_NO_MORE);
  }

  override async startSigning(tx: Tx, key: ChainKey): Promise<ResourceDetails | undefined> {
    return await this.change(tx, key, { state: 'next' }, { state: 'current', ...sinceNow('current') });
  }

  override async moveTakeover(
    tx: Tx,
    key: ChainKey,
    activatesAt: Date,
  ): Promise<ResourceDetails | undefined> {
    return await this.change(tx, key, { state: 'next' }, { activatesAt });
  }

  override async end(
    tx: Tx,
    key: ChainKey,
    how: 'retired' | 'removed',
  ): Promise<ResourceDetails | undefined> {
    const removed = how === 'removed';
    const left = removed ? Not('current' as const) : Not(In(['current', 'gone'] as const));
    const ended = {
      state: 'gone',
      goneAt: () => 'coalesce(gone_at, app_now())',
      removedAt: removed ? () => 'app_now()' : null,
    } as const;
    const from = { state: left, removedAt: IsNull() };
    return await this.change(tx, key, from, ended, SIGNS_NO_MORE, OPENS_NO_MORE);
  }

  override async schedule(tx?: Tx): Promise<{ schedule: KeySchedule; details: ResourceDetails }> {
    const row = await this.schedules.find({ id: true }, tx);
    if (row === undefined) throw noSchedule();
    const schedule = pick(row, ['rotationSeconds', 'leadSeconds']);
    return { schedule, details: await this.details(row, tx) };
  }

  override async replaceSchedule(tx: Tx, schedule: KeySchedule): Promise<ResourceDetails> {
    const { rotationSeconds, leadSeconds } = schedule;
    const [row] = await this.schedules.change(tx, { id: true }, { rotationSeconds, leadSeconds, ...COUNTED });
    if (row === undefined) throw noSchedule();
    return await this.details(row, tx);
  }

  override async affected(): Promise<AffectedByRotation> {
    const row = await this.sql.row<Pick<AffectedByRotation, keyof AffectedByRotation>>(AFFECTED, []);
    if (row === undefined) throw new Error('a count gives a row');
    return row;
  }

  override async listKeySetReaders(query: PageQuery): Promise<Page<KeySetReader>> {
    const page = await this.readers.list(query, {}, ({ createdAt: firstReadAt, ...row }) => ({
      ...pick(row, ['id', 'reads', 'lastReadAt']),
      firstReadAt,
    }));
    return page.total < MOST_READERS ? page : { ...page, hasMoreThanTotal: true };
  }

  override async listAffectedApplications(query: PageQuery): Promise<Page<AffectedApplication>> {
    const rows = await this.sql.rows<PageRow<AffectedRow>>(
      LIST_AFFECTED.of(query),
      LIST_AFFECTED.values(query),
    );
    return LIST_AFFECTED.page(rows, query, (row) =>
      pick(row, ['id', 'clientId', 'name', 'orgId', 'grants', 'hasMoreGrants']),
    );
  }

  override async recordKeySetReads(reads: ReadonlyMap<string, number>): Promise<void> {
    await this.sql.change(FORGET_READERS, []);
    const readers = [...reads.keys()].map((reader) => Buffer.from(reader, 'base64url'));
    await this.sql.change(RECORD_READS, [readers, [...reads.values()]]);
  }

  /** @param from the states that it may be in: in any other, nothing changes */
  private async change(
    tx: Tx,
    { id, chain }: ChainKey,
    from: Parameters<Table<Pick<SigningKeyEntity & TokenKeyEntity, 'state' | 'removedAt'>>['change']>[1],
    changes: StateChanges,
    ofSigningKey: Changes<SigningKeyEntity> = {},
    ofTokenKey: Changes<TokenKeyEntity> = {},
  ): Promise<ResourceDetails | undefined> {
    const [row] =
      chain === 'opaque'
        ? await this.tokenKeys.change(
            tx,
            { ...from, id: Number(id) },
            { ...changes, ...ofTokenKey, ...COUNTED },
          )
        : await this.signingKeys.change(
            tx,
            { ...from, kid: id },
            { ...changes, ...ofSigningKey, ...COUNTED },
          );
    return row && (await this.details(row, tx));
  }

  /** Keys are the instance's; what belongs to it is shown as its first organization's. */
  private async details(
    row: Pick<SigningKeyEntity, 'sequence' | 'createdAt' | 'changedAt'>,
    tx?: Tx,
  ): Promise<ResourceDetails> {
    const instance = await this.instances.find({ id: true }, tx);
    return detailsOf({ ...row, orgId: instance?.defaultOrgId as OrgId });
  }
}

function sinceNow(state: SigningKey['state']) {
  return state === 'current' ? { currentSince: () => 'app_now()' } : {};
}

function noSchedule(): Error {
  return new Error('the key schedule has no row');
}

function chainKeyOf(row: KeyRow): ChainKey {
  return { id: row.id, chain: row.chain, ...pick(row, STATE), details: detailsOf(row) };
}
