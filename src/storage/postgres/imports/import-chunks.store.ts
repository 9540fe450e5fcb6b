// SQL by hand: a chunk is claimed under a fencing number, which every later change of it must match
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  ImportChunksStore,
  type ChunkClaim,
  type ChunkResults,
  type ClaimedChunk,
  type HalfChunk,
} from '../../../domain/imports/chunks/import-chunks.store.js';
import { IMPORT_COUNTS } from '../../../domain/imports/import-job.js';
import { SealBroken } from '../../../domain/secrets/envelope.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ImportJobId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Query, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { columns, pick } from '../table.js';
import { ImportChunkEntity, ImportEntity } from '../tables/import.entity.js';
import { written } from '../written.js';
import { chunkPlace, ELIGIBILITY_COLUMNS, type EligibilityRow } from './import-rows.js';

const CHUNK_FIELDS = ['jobId', 'number', 'orgId', 'fence', 'attempts', 'records', 'pass'] as const;
const OF_CHUNK = [...CHUNK_FIELDS, 'recordsOrgId', 'payload', 'dataKeyId'] as const;
const OPTIONS = [
  'mode',
  'dryRun',
  'notify',
  'updatePasswords',
  'instanceWide',
  'createdBy',
  'createdThrough',
] as const;
const OF_JOB = [...OPTIONS, 'initialState'] as const;
const CLAIM = {
  name: 'import-chunks-claim',
  text: `
    WITH claimed AS (
      UPDATE import_chunks c SET state = 'running', fence = c.fence + 1, attempts = c.attempts + 1,
        claimed_until = app_now() + make_interval(secs => $3::float8 / 1000),
        started_at = coalesce(c.started_at, app_now())
      FROM imports j
      WHERE c.import_id = $1 AND c.number = $2 AND j.id = c.import_id AND j.state IN ('queued', 'running')
        AND (c.state = 'queued' OR (c.state = 'running' AND c.claimed_until < app_now()))
      RETURNING c.*
    ), begun AS (
      UPDATE imports j SET state = 'running', started_at = coalesce(j.started_at, app_now()),
        sequence = j.sequence + 1, changed_at = app_now()
      FROM claimed WHERE j.id = claimed.import_id AND j.state = 'queued'
    )
    SELECT ${columns(ImportChunkEntity, 'c', OF_CHUNK)}, ${columns(ImportEntity, 'j', OF_JOB)},
      ${ELIGIBILITY_COLUMNS}
    FROM claimed c JOIN imports j ON j.id = c.import_id`,
};

// of a paused import, the chunk waits again; of an ended one, it is cancelled
const HOLD_BACK = {
  name: 'import-chunks-hold-back',
  text: `
    UPDATE import_chunks c SET
      state = CASE WHEN j.state = 'paused' THEN 'pending' ELSE 'cancelled' END, claimed_until = NULL,
      payload = CASE WHEN j.state = 'paused' THEN c.payload END,
      data_key_id = CASE WHEN j.state = 'paused' THEN c.data_key_id END
    FROM imports j
    WHERE c.import_id = $1 AND c.number = $2 AND j.id = c.import_id AND j.state NOT IN ('reading', 'queued', 'running')
      AND (c.state = 'queued' OR (c.state = 'running' AND c.claimed_until < app_now()))
    RETURNING c.state`,
};

interface WhyRow {
  readonly state: string;
  readonly lapsesInMs: number | null;
}
function whyNotClaimed(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(ImportChunkEntity, 'c'), ['state'])
    .addSelect('extract(epoch FROM c.claimedUntil - app_now())::float8 * 1000', 'lapsesInMs')
    .where('c.jobId = :jobId AND c.number = :number');
}

const CLAIMED = `import_id = $1 AND number = $2 AND fence = $3 AND state = 'running'`;

const RENEW = {
  name: 'import-chunks-renew',
  text: `
    UPDATE import_chunks SET claimed_until = app_now() + make_interval(secs => $4::float8 / 1000) WHERE ${CLAIMED}`,
};

const RELEASE = {
  name: 'import-chunks-release',
  text: `
    UPDATE import_chunks SET state = 'queued', attempts = attempts - $4, claimed_until = NULL WHERE ${CLAIMED}`,
};

const LOCK_FOR_UPDATE = {
  name: 'import-chunks-lock-for-update',
  text: `SELECT app_now() AS now FROM import_chunks WHERE ${CLAIMED} FOR NO KEY UPDATE`,
};

const FINISHED = written(ImportChunkEntity, ['results', 'failedPayload', 'dataKeyId', ...IMPORT_COUNTS], 4);
const FINISH = {
  name: 'import-chunks-finish',
  text: `
    UPDATE import_chunks SET state = 'done', payload = NULL, claimed_until = NULL, finished_at = app_now(),
      ${FINISHED.assignments}
    WHERE ${CLAIMED}`,
};

const END = {
  name: 'import-chunks-end',
  text: `
    UPDATE import_chunks SET state = $4, payload = NULL, data_key_id = NULL, claimed_until = NULL,
      finished_at = app_now() WHERE ${CLAIMED}`,
};

// the import is locked, so that each number is used once
const NEXT_NUMBER = {
  name: 'import-chunks-next-number',
  text: `
    SELECT (SELECT max(number) + 1 FROM import_chunks WHERE import_id = $1) AS number
    FROM imports WHERE id = $1 FOR NO KEY UPDATE`,
};

const HALF = written(
  ImportChunkEntity,
  ['number', 'firstLine', 'records', 'attempts', 'payload', 'dataKeyId'],
  3,
);
const ADD_HALF = {
  name: 'import-chunks-add-half',
  text: `
    INSERT INTO import_chunks (import_id, org_id, records_org_id, pass, ${HALF.columns})
    SELECT c.import_id, c.org_id, c.records_org_id, c.pass, ${HALF.parameters}
    FROM import_chunks c WHERE c.import_id = $1 AND c.number = $2`,
};

// a chunk with a job in the outbox is left to that job, also if its claim has expired
const REQUEUE_LOST = {
  name: 'import-chunks-requeue-lost',
  text: `
    WITH queued AS MATERIALIZED (
      SELECT payload FROM outbox WHERE queue = 'imports' AND state = 'pending' AND job_name = 'import-chunk'
      UNION ALL
      SELECT payload FROM outbox WHERE queue = 'imports' AND state = 'published' AND job_name = 'import-chunk'
    )
    UPDATE import_chunks c SET state = 'pending', claimed_until = NULL
    WHERE c.import_id = $1 AND (c.state = 'queued' OR (c.state = 'running' AND c.claimed_until < app_now()))
      AND NOT EXISTS (SELECT FROM queued
                      WHERE queued.payload @> jsonb_build_object('jobId', c.import_id, 'number', c.number))`,
};

type ClaimedRow = Pick<ImportChunkEntity, (typeof CHUNK_FIELDS)[number] | 'recordsOrgId'> &
  Pick<ImportEntity, (typeof OF_JOB)[number]> &
  EligibilityRow & { payload: Buffer; dataKeyId: number };

@Injectable()
export class PgImportChunksStore extends ImportChunksStore {
  private readonly whyNotClaimed: Query<WhyRow, Pick<ClaimedChunk, 'jobId' | 'number'>>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.whyNotClaimed = new Query(sql, 'import-chunks-why-not-claimed', whyNotClaimed);
  }

  override async claim(jobId: ImportJobId, number: number, holdMs: number): Promise<ChunkClaim> {
    const row = await this.sql.row<ClaimedRow>(CLAIM, [jobId, number, holdMs]);
    if (row !== undefined) return { kind: 'claimed', chunk: await this.toClaimed(row) };
    if ((await this.sql.change(HOLD_BACK, [jobId, number])) === 1) return { kind: 'held-back' };
    const why = await this.whyNotClaimed.row({ jobId, number });
    if (why?.state === 'pending') return { kind: 'held-back' };
    if (why?.state !== 'running' && why?.state !== 'queued') return { kind: 'finished' };
    return { kind: 'busy', retryInMs: Math.max(0, Math.ceil(why.lapsesInMs ?? 0)) };
  }

  override async renew(chunk: ClaimedChunk, holdMs: number): Promise<boolean> {
    return (await this.sql.change(RENEW, [...keyOf(chunk), holdMs])) === 1;
  }

  override async release(chunk: ClaimedChunk, blame: 'records' | 'circumstances'): Promise<void> {
    await this.sql.change(RELEASE, [...keyOf(chunk), blame === 'records' ? 0 : 1]);
  }

  override async lockForUpdate(tx: Tx, chunk: ClaimedChunk): Promise<Date | undefined> {
    return (await this.sql.row<{ now: Date }>(LOCK_FOR_UPDATE, keyOf(chunk), tx))?.now;
  }

  override async finish(
    tx: Tx,
    chunk: ClaimedChunk,
    { counts, outcomes, failed }: ChunkResults,
  ): Promise<void> {
    const { jobId, number } = chunk;
    const results = this.sealer.seal(chunkPlace('results', jobId, number), outcomes);
    // sealed one right after the other, so under the same data key
    const again = failed && this.sealer.seal(chunkPlace('failed_payload', jobId, number), failed);
    const { sealed, dataKeyId } = results;
    const row = { ...counts, results: sealed, failedPayload: again?.sealed, dataKeyId };
    await this.requireClaimed(this.sql.change(FINISH, [...keyOf(chunk), ...FINISHED.valuesOf(row)], tx));
  }

  override async drop(tx: Tx, chunk: ClaimedChunk): Promise<void> {
    await this.requireClaimed(this.sql.change(END, [...keyOf(chunk), 'cancelled'], tx));
  }

  override async split(
    tx: Tx,
    chunk: ClaimedChunk,
    halves: readonly HalfChunk[],
    attempts: number,
  ): Promise<void> {
    const { jobId, number: parent } = chunk;
    await this.requireClaimed(this.sql.change(END, [...keyOf(chunk), 'split'], tx));
    let number = (await this.sql.row<{ number: number }>(NEXT_NUMBER, [jobId], tx))?.number ?? 0;
    for (const { firstLine, records, packed } of halves) {
      const { sealed: payload, dataKeyId } = this.sealer.seal(chunkPlace('payload', jobId, number), packed);
      const row = { number, firstLine, records, attempts, payload, dataKeyId };
      await this.sql.change(ADD_HALF, [jobId, parent, ...HALF.valuesOf(row)], tx);
      number += 1;
    }
  }

  override async requeueLost(tx: Tx, jobId: ImportJobId): Promise<number> {
    return await this.sql.change(REQUEUE_LOST, [jobId], tx);
  }

  private async requireClaimed(change: Promise<number>): Promise<void> {
    if ((await change) !== 1) throw new Error('a chunk was written that is held by nobody');
  }

  private async toClaimed(row: ClaimedRow): Promise<ClaimedChunk> {
    return {
      ...pick(row, [...CHUNK_FIELDS, ...OPTIONS]),
      recordsOrgId: row.recordsOrgId ?? row.orgId,
      packed: await this.open(row),
      initialState: row.initialState ?? undefined,
      eligibility: pick(row, ['organizationRemoved', 'callerRemoved', 'callerActive', 'tokenRevoked']),
    };
  }

  private async open({ jobId, number, payload, dataKeyId }: ClaimedRow): Promise<Buffer | undefined> {
    try {
      return await this.sealer.open(chunkPlace('payload', jobId, number), { sealed: payload, dataKeyId });
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  }
}

function keyOf({ jobId, number, fence }: ClaimedChunk): unknown[] {
  return [jobId, number, fence];
}
