import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { ApiError } from '../shared/errors.js';
import type { ImportJobId, OrgId } from '../shared/ids.js';
import type { Cursor, Page, PageQuery } from '../shared/page.js';
import { unpackOutcomes } from './chunks/chunk-text.js';
import { ENDED_STATES, importNotFound, wrongState, type ImportJob, type ImportQuery } from './import-job.js';
import { ImportPermission } from './import-permission.js';
import { ImportsStore, type PaceStep } from './imports.store.js';
import { OUTCOMES, type OutcomeKind, type RecordOutcome } from './write/record-outcome.js';

/** What a chart has room for. */
const MOST_STEPS = 120;

/** Some of the records of an import, with what became of them. */
export interface RecordPage {
  readonly records: readonly RecordOutcome[];
  /** Of those that were asked for, so far. */
  readonly total: number;
  readonly next?: Cursor;
}

/** Import jobs as their organization sees them. */
@Injectable()
export class ImportJobs {
  constructor(
    private readonly imports: ImportsStore,
    private readonly permission: ImportPermission,
  ) {}

  /** @throws ApiError not-found */
  async find(orgId: OrgId, jobId: ImportJobId): Promise<ImportJob> {
    const job = await this.imports.find(orgId, jobId);
    if (job === undefined) throw importNotFound();
    return job;
  }

  /** The same for somebody who looks: jobs of the whole instance are for who may import into all of it. */
  async view(orgId: OrgId, jobId: ImportJobId, viewer: Acting): Promise<ImportJob> {
    const job = await this.find(orgId, jobId);
    if (job.instanceWide && !(await this.permission.reachesInstance(viewer, orgId))) throw importNotFound();
    return job;
  }

  /** How fast it went since it began, for whoever comes to it later. */
  async pace(orgId: OrgId, jobId: ImportJobId, viewer: Acting): Promise<readonly PaceStep[]> {
    return await this.paceOf(await this.view(orgId, jobId, viewer));
  }

  /** The same of one that `view` has shown a moment ago. */
  async paceOf({ id }: ImportJob): Promise<readonly PaceStep[]> {
    return await this.imports.pace(id, MOST_STEPS);
  }

  async list(orgId: OrgId, query: ImportQuery, viewer: Acting): Promise<Page<ImportJob>> {
    return await this.imports.list(orgId, query, await this.permission.reachesInstance(viewer, orgId));
  }

  /** @throws ApiError not-found, failed-precondition; for `retryOf` of corrected records */
  async requireEnded(orgId: OrgId, jobId: ImportJobId, viewer: Acting): Promise<ImportJob> {
    const job = await this.view(orgId, jobId, viewer);
    if (!ENDED_STATES.includes(job.state)) throw wrongState('retried', job.state);
    return job;
  }

  /**
   * What became of each record so far, in the order of the file, read chunk by chunk. Chunks without such outcomes are not opened.
   * @throws ApiError not-found
   */
  async *results(
    orgId: OrgId,
    jobId: ImportJobId,
    only?: readonly OutcomeKind[],
  ): AsyncGenerator<RecordOutcome> {
    await this.find(orgId, jobId);
    for (const chunk of await this.imports.listChunks(jobId)) {
      if (only?.every((kind) => chunk[kind] === 0) === true) continue;
      for (const outcome of await this.outcomesOf(jobId, chunk.number)) {
        if (only === undefined || only.includes(outcome.outcome)) yield outcome;
      }
    }
  }

  /**
   * A page of the same, in the order of the file or from its end. Chunks before the page, and those without such outcomes, are
   * not opened.
   * @throws ApiError not-found
   */
  async records(
    orgId: OrgId,
    jobId: ImportJobId,
    { limit, ascending, list = '', after }: PageQuery,
    only: readonly OutcomeKind[] = OUTCOMES,
  ): Promise<RecordPage> {
    const { counts } = await this.find(orgId, jobId);
    const inFile = await this.imports.listChunks(jobId);
    const chunks = ascending ? inFile : inFile.toReversed();
    const first = after === undefined ? 0 : chunks.findIndex(({ number }) => String(number) === after.key);
    if (first < 0) throw new ApiError('invalid-argument', 'cursor is not one that this release gave');
    const found: { readonly outcome: RecordOutcome; readonly next: Cursor }[] = [];
    for (const [index, chunk] of chunks.slice(first).entries()) {
      if (found.length > limit) break;
      if (only.every((kind) => chunk[kind] === 0)) continue;
      const outcomes = (await this.outcomesOf(jobId, chunk.number)).map((outcome, place) => ({
        outcome,
        place,
      }));
      const rest = outcomes.filter(
        ({ outcome, place }) =>
          only.includes(outcome.outcome) &&
          (index > 0 ||
            after === undefined ||
            (ascending ? place > Number(after.id) : place < Number(after.id))),
      );
      for (const { outcome, place } of ascending ? rest : rest.toReversed()) {
        found.push({ outcome, next: { list, key: String(chunk.number), id: String(place) } });
      }
    }
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      records: shown.map(({ outcome }) => outcome),
      total: only.reduce((sum, kind) => sum + counts[kind], 0),
      ...(last !== undefined && { next: last.next }),
    };
  }

  private async outcomesOf(jobId: ImportJobId, number: number): Promise<readonly RecordOutcome[]> {
    const packed = await this.imports.readResults(jobId, number);
    return packed === undefined ? [] : await unpackOutcomes(packed);
  }
}
