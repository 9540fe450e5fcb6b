import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import type { ImportJobId, OrgId } from '../shared/ids.js';
import type { Page } from '../shared/page.js';
import { unpackOutcomes } from './chunks/chunk-text.js';
import { ENDED_STATES, importNotFound, wrongState, type ImportJob, type ImportQuery } from './import-job.js';
import { ImportPermission } from './import-permission.js';
import { ImportsStore, type ImportPace } from './imports.store.js';
import type { OutcomeKind, RecordOutcome } from './write/record-outcome.js';

/** What a chart has room for. */
const MOST_STEPS = 120;

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
  async pace(orgId: OrgId, jobId: ImportJobId, viewer: Acting): Promise<readonly ImportPace[]> {
    return await this.paceOf(await this.view(orgId, jobId, viewer));
  }

  /** The same of one that `view` has shown a moment ago. */
  async paceOf({ id }: ImportJob): Promise<readonly ImportPace[]> {
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
   * What became of each record so far, in the order of the file, read chunk by chunk.
   * @throws ApiError not-found
   */
  async *results(
    orgId: OrgId,
    jobId: ImportJobId,
    only?: readonly OutcomeKind[],
  ): AsyncGenerator<RecordOutcome> {
    await this.find(orgId, jobId);
    for (const { number } of await this.imports.listChunks(jobId)) {
      const packed = await this.imports.readResults(jobId, number);
      if (packed === undefined) continue;
      for (const outcome of await unpackOutcomes(packed)) {
        if (only === undefined || only.includes(outcome.outcome)) yield outcome;
      }
    }
  }
}
