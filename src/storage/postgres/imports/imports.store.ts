import { Injectable } from '@nestjs/common';
import { In, IsNull, type FindOptionsWhere } from 'typeorm';
import type { ImportEligibility } from '../../../domain/imports/import-eligibility.js';
import type {
  ImportChange,
  ImportFailure,
  ImportJob,
  ImportJobState,
  ImportQuery,
  ImportStop,
  PostImportWork,
} from '../../../domain/imports/import-job.js';
import type { ImportWork } from '../../../domain/imports/import-progress.js';
import {
  ImportsStore,
  type ChunkInFile,
  type ChunkName,
  type FinishedChunk,
  type ImportAtWork,
  type ImportTitle,
  type ImportUsage,
  type NewImportChunk,
  type NewImportJob,
  type PaceStep,
} from '../../../domain/imports/imports.store.js';
import type { OutcomeKind } from '../../../domain/imports/write/record-outcome.js';
import { Sealer, type SealedPlace, type SealedValue } from '../../../domain/secrets/sealer.js';
import type { ImportJobId, OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { advisoryLock } from '../advisory-lock.js';
import { countedPageFrom, cursorOf, shownOf, type ViewRow } from '../page-of-rows.js';
import { Query } from '../query.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { COUNTED, Table, type Changes } from '../table.js';
import { ImportChunkEntity, ImportEntity } from '../tables/import.entity.js';
import { MicroBatch } from '../throughput/micro-batch.js';
import { changeImportJob, findImportJob } from './change-import-job.js';
import { chunkPlace, toImportJob, type EligibilityRow, type ImportJobRow } from './import-rows.js';
import {
  ADD,
  ADD_CHUNK,
  ADDED,
  ADDED_CHUNK,
  COMPLETE,
  COUNT,
  doneChunks,
  END,
  FAIL_READING,
  FIND_BY_ID,
  FIND_BY_KEY,
  FIND_ELIGIBILITY,
  GIVE_UP,
  importTitles,
  LIST_AT_WORK,
  listStatement,
  LOOK,
  PACE,
  sealedOfChunk,
  SETTLE,
  SPACE_USAGE,
  TAKE_NEXT,
  unfinishedImports,
} from './import-statements.js';
import { POST_IMPORT } from './post-import-statements.js';

/** Records that will not be written are deleted. */
const DROPPED = { state: 'cancelled', payload: null, dataKeyId: null, finishedAt: () => 'app_now()' };

type TitleRow = Omit<ImportTitle, 'fileName'> & Pick<ImportEntity, 'fileName'>;
type ChunkRow = Pick<ImportChunkEntity, 'number' | OutcomeKind | 'recordsOrgId'> & Pick<ChunkInFile, 'pass'>;

/** Imports that one statement reads. */
const MOST_LOOKS = 200;

@Injectable()
export class PgImportsStore extends ImportsStore {
  private readonly looks = new MicroBatch<ImportJobId, ImportJob | undefined>(async (ids) => {
    const rows = await this.sql.rows<ImportJobRow>(LOOK, [ids]);
    const jobs = new Map(rows.map((row) => [row.id, toImportJob(row)]));
    return ids.map((id) => jobs.get(id));
  }, MOST_LOOKS);

  private readonly rows: Table<ImportEntity>;
  private readonly chunks: Table<ImportChunkEntity>;
  private readonly importTitles: Query<TitleRow, { ids: readonly ImportJobId[] }>;
  private readonly unfinished: Query<{ state: ImportJobState; count: number }, object>;
  private readonly doneChunks: Query<ChunkRow, { jobId: ImportJobId }>;
  private readonly results: Query<SealedValue, ChunkName>;
  private readonly failed: Query<SealedValue, ChunkName>;

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new Table(sql, ImportEntity);
    this.chunks = new Table(sql, ImportChunkEntity);
    this.importTitles = new Query(sql, 'import-jobs-titles', importTitles);
    this.unfinished = new Query(sql, 'import-jobs-count-unfinished', unfinishedImports);
    this.doneChunks = new Query(sql, 'import-jobs-list-chunks', doneChunks);
    this.results = new Query(sql, 'import-jobs-read-results', sealedOfChunk('results'));
    this.failed = new Query(sql, 'import-jobs-read-failed', sealedOfChunk('failedPayload'));
  }

  override async add(tx: Tx, job: NewImportJob): Promise<boolean> {
    return (await this.sql.change(ADD, [job.leaseMs, ...ADDED.valuesOf(job)], tx)) === 1;
  }

  override async findByKey(
    orgId: OrgId,
    createdBy: UserId,
    callerKey: Buffer,
  ): Promise<ImportJob | undefined> {
    const row = await this.sql.row<ImportJobRow>(FIND_BY_KEY, [orgId, createdBy, callerKey]);
    return row && toImportJob(row);
  }

  override async find(orgId: OrgId, id: ImportJobId, tx?: Tx): Promise<ImportJob | undefined> {
    return await findImportJob(this.sql, orgId, id, tx);
  }

  override async findById(id: ImportJobId): Promise<ImportJob | undefined> {
    const row = await this.sql.row<ImportJobRow>(FIND_BY_ID, [id]);
    return row && toImportJob(row);
  }

  override async look(id: ImportJobId): Promise<ImportJob | undefined> {
    return await this.looks.ask(id);
  }

  override async listAtWork(limit: number): Promise<readonly ImportAtWork[]> {
    const rows = await this.sql.rows<{ id: ImportJobId; work: ImportWork }>(LIST_AT_WORK, [limit]);
    return rows.map(({ id: jobId, work }) => ({ jobId, work }));
  }

  override async titles(ids: readonly ImportJobId[]): Promise<readonly ImportTitle[]> {
    const rows = await this.importTitles.rows({ ids });
    return rows.map(({ fileName, ...title }) => ({ ...title, fileName: fileName ?? undefined }));
  }

  override async findEligibility(
    id: ImportJobId,
    postImport?: PostImportWork,
  ): Promise<ImportEligibility | undefined> {
    const statement = postImport === undefined ? FIND_ELIGIBILITY : POST_IMPORT[postImport].findEligibility;
    return await this.sql.row<EligibilityRow>(statement, [id]);
  }

  override async list(orgId: OrgId, query: ImportQuery, instanceWide: boolean): Promise<Page<ImportJob>> {
    const matching = [orgId, query.states ?? null, instanceWide];
    const values = [...matching, query.offset, query.limit + 1];
    const statement = listStatement(query, values);
    const rows = await this.sql.rows<ImportJobRow & { list_key: string }>(statement, values);
    const { shown, ...next } = shownOf(rows, query, cursorOf);
    const page = countedPageFrom(shown.map(toImportJob), await this.sql.row<ViewRow>(COUNT, matching));
    return { ...page, ...next };
  }

  override async addChunk(id: ImportJobId, chunk: NewImportChunk, leaseMs: number): Promise<boolean> {
    const { packed, ...row } = chunk;
    const { sealed: payload, dataKeyId } = this.sealer.seal(chunkPlace('payload', id, row.number), packed);
    const values = [id, leaseMs, ...ADDED_CHUNK.valuesOf({ ...row, payload, dataKeyId })];
    return (await this.sql.change(ADD_CHUNK, values)) === 1;
  }

  override async assignOrganization(
    id: ImportJobId,
    numbers: readonly number[],
    orgId: OrgId,
  ): Promise<void> {
    const nobodys = { jobId: id, number: In(numbers), recordsOrgId: IsNull() };
    await this.chunks.changeAll(undefined, nobodys, { recordsOrgId: orgId });
  }

  override async complete(
    tx: Tx,
    id: ImportJobId,
    { bytes, checksum }: { readonly bytes: number; readonly checksum: Buffer },
  ): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, COMPLETE, [id, bytes, checksum]);
  }

  override async failReading(
    tx: Tx,
    id: ImportJobId,
    reason: ImportFailure,
    retentionMs: number,
  ): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, FAIL_READING, [id, reason, retentionMs]);
  }

  override async fail(
    tx: Tx,
    id: ImportJobId,
    reason: ImportFailure,
    retentionMs: number,
  ): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, END, [id, reason, retentionMs, 'failed']);
  }

  override async stop(
    tx: Tx,
    id: ImportJobId,
    reason: ImportStop,
    retentionMs: number,
  ): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, END, [id, reason, retentionMs, 'cancelled']);
  }

  override async renewLease(id: ImportJobId, leaseMs: number, bytesArrived: number): Promise<boolean> {
    const readingUntil = () => `app_now() + interval '${leaseMs} ms'`;
    const arrived = { readingUntil, bytesArrived: String(bytesArrived) };
    return (await this.rows.changeAll(undefined, { id, state: 'reading' }, arrived)) === 1;
  }

  override async giveUp(tx: Tx, id: ImportJobId, retentionMs: number): Promise<ImportJob | undefined> {
    return await this.dropped(tx, id, GIVE_UP, [id, retentionMs]);
  }

  override async moveOn(
    tx: Tx,
    orgId: OrgId,
    id: ImportJobId,
    from: readonly ImportJobState[],
    to: 'paused' | 'running' | 'cancelling',
  ): Promise<ImportJob | undefined> {
    return await this.change(tx, id, { orgId, state: In(from) }, { state: to });
  }

  override async dropWaiting(tx: Tx, id: ImportJobId): Promise<void> {
    // chunks that were written already are kept
    await this.chunks.changeAll(tx, { jobId: id, state: In(['pending', 'queued']) }, DROPPED);
  }

  override async settle(tx: Tx, id: ImportJobId, retentionMs: number): Promise<ImportJob | undefined> {
    return await changeImportJob(this.sql, tx, id, SETTLE, [id, retentionMs]);
  }

  override async takeNext(tx: Tx, orgId: OrgId, window: number): Promise<readonly ChunkName[]> {
    const rows = await this.sql.rows<{ import_id: ImportJobId; number: number }>(
      TAKE_NEXT,
      [orgId, window],
      tx,
    );
    return rows.map(({ import_id: jobId, number }) => ({ jobId, number }));
  }

  override async countUnfinished(): Promise<
    readonly { readonly state: ImportJobState; readonly count: number }[]
  > {
    return await this.unfinished.rows({});
  }

  override async listChunks(id: ImportJobId): Promise<readonly ChunkInFile[]> {
    const rows = await this.doneChunks.rows({ jobId: id });
    return rows.map(({ recordsOrgId, ...chunk }) => ({
      ...chunk,
      ...(recordsOrgId !== null && { recordsOrgId }),
    }));
  }

  override async pace(id: ImportJobId, most: number): Promise<readonly PaceStep[]> {
    return await this.sql.rows<{ at: Date; rate: number }>(PACE, [id, most]);
  }

  override async readResults(id: ImportJobId, number: number): Promise<Buffer | undefined> {
    return await this.open(this.results, chunkPlace('results', id, number), { jobId: id, number });
  }

  override async readFailed(id: ImportJobId, number: number): Promise<Buffer | undefined> {
    return await this.open(this.failed, chunkPlace('failed_payload', id, number), { jobId: id, number });
  }

  override async beginPostImport(
    tx: Tx,
    postImport: PostImportWork,
    change: ImportChange,
  ): Promise<ImportJob | undefined> {
    const { orgId, jobId } = change;
    const { begins, begun } = POST_IMPORT[postImport];
    const written = { orgId, state: In(['done', 'cancelled', 'failed']), dryRun: false };
    const job = await this.change(tx, jobId, { ...written, ...begins }, begun(change));
    // an import that was stopped may still have running chunks: a worker that is writing one is waited for (row lock), and one that
    // has not begun to write cannot any more
    const atWork = { jobId, state: 'running' };
    if (job !== undefined) await this.chunks.changeAll(tx, atWork, { ...DROPPED, claimedUntil: null });
    return job;
  }

  override async endPostImport(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<ImportJob | undefined> {
    const { running, ended } = POST_IMPORT[postImport];
    return await this.change(tx, id, running, ended);
  }

  override async withdrawPostImport(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<ImportJob | undefined> {
    const { running, withdrawn } = POST_IMPORT[postImport];
    return await this.change(tx, id, running, withdrawn);
  }

  override async nextFinishedChunk(
    tx: Tx,
    postImport: PostImportWork,
    id: ImportJobId,
  ): Promise<FinishedChunk | undefined> {
    type Row = { number: number; results: Buffer; data_key_id: number };
    const row = await this.sql.row<Row>(POST_IMPORT[postImport].next, [id], tx);
    if (row === undefined) return undefined;
    const value = { sealed: row.results, dataKeyId: row.data_key_id };
    return {
      number: row.number,
      outcomes: await this.sealer.open(chunkPlace('results', id, row.number), value),
    };
  }

  override async markUndone(
    tx: Tx,
    id: ImportJobId,
    { number, outcomes }: FinishedChunk,
    { removed, kept }: { readonly removed: number; readonly kept: number },
  ): Promise<void> {
    const { sealed: results, dataKeyId } = this.sealer.seal(chunkPlace('results', id, number), outcomes);
    const undone = { removed, kept, results, dataKeyId, failedPayload: null };
    await this.chunks.changeAll(tx, { jobId: id, number }, undone);
  }

  override async markNotified(tx: Tx, id: ImportJobId, number: number): Promise<void> {
    await this.chunks.changeAll(tx, { jobId: id, number }, { notified: true });
  }

  override async lockSpace(tx: Tx): Promise<void> {
    await advisoryLock(this.sql, tx, 'import space');
  }

  override async spaceUsage(tx: Tx, orgId: OrgId): Promise<ImportUsage> {
    const usage = await this.sql.row<Pick<ImportUsage, keyof ImportUsage>>(SPACE_USAGE, [orgId], tx);
    if (usage === undefined) throw new Error('a sum gives a row');
    return usage;
  }

  override async reserveSpace(tx: Tx, jobId: ImportJobId, bytes: number): Promise<boolean> {
    const bytesHeld = () => `bytes_held + ${bytes}`;
    return (await this.rows.changeAll(tx, { id: jobId, state: 'reading' }, { bytesHeld })) === 1;
  }

  private async open(
    query: Query<SealedValue, ChunkName>,
    place: SealedPlace,
    chunk: ChunkName,
  ): Promise<Buffer | undefined> {
    const value = await query.row(chunk);
    return value && (await this.sealer.open(place, value));
  }

  /** Changes a job if it meets the condition, and reads it as it then is. */
  private async change(
    tx: Tx,
    id: ImportJobId,
    where: FindOptionsWhere<ImportEntity>,
    values: Changes<ImportEntity>,
  ): Promise<ImportJob | undefined> {
    const [row] = await this.rows.change(tx, { ...where, id }, { ...values, ...COUNTED });
    return row && (await this.find(row.orgId, id, tx));
  }

  /** An end: what waits goes. */
  private async dropped(
    tx: Tx,
    id: ImportJobId,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<ImportJob | undefined> {
    const job = await changeImportJob(this.sql, tx, id, statement, values);
    if (job !== undefined) await this.dropWaiting(tx, id);
    return job;
  }
}
