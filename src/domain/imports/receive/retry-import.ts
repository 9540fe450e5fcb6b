import { Injectable } from '@nestjs/common';
import { sha256 } from '../../shared/random.js';
import { unpackRecords } from '../chunks/chunk-text.js';
import type { ImportChange, ImportJob } from '../import-job.js';
import { ImportJobs } from '../import-jobs.js';
import { ImportsStore } from '../imports.store.js';
import { BeginImport } from './begin-import.js';
import { FillImport } from './fill-import.js';
import { isOutOfSpace } from './import-space.js';

/** Begins an import again with what failed of it. */
@Injectable()
export class RetryImport {
  constructor(
    private readonly jobs: ImportJobs,
    private readonly imports: ImportsStore,
    private readonly begin: BeginImport,
    private readonly fill: FillImport,
  ) {}

  /**
   * A new job of the records that failed, as they were received. Corrected ones are received like any other file,
   * with `retryOf`.
   *
   * @throws ApiError not-found, failed-precondition while the job has not ended, or when nothing failed
   */
  async execute(
    { orgId, jobId, actorId, through, ...askedWith }: ImportChange,
    idempotencyKey?: string,
  ): Promise<ImportJob> {
    const job = await this.jobs.requireEnded(orgId, jobId, { actorId, through });
    const { format, mode, dryRun, notify, initialState, updatePasswords, fileName } = job;
    const options = { format, mode, dryRun, notify, initialState, updatePasswords, fileName };
    const asked = { ...askedWith, orgId, callerId: actorId, through, idempotencyKey, retryOf: jobId };
    const begun = await this.begin.execute({ ...options, ...asked });
    if ('known' in begun) return begun.known;
    try {
      let [number, bytes] = [0, 0];
      for (const chunk of await this.imports.listChunks(jobId)) {
        const packed = chunk.failed > 0 ? await this.imports.readFailed(jobId, chunk.number) : undefined;
        if (packed === undefined) continue;
        number += 1;
        bytes += packed.length;
        const records = await unpackRecords(packed);
        const { pass, recordsOrgId } = chunk;
        await this.fill.appendChunk(begun.begun, number, records, { pass, recordsOrgId });
      }
      return await this.fill.complete(begun.begun, { bytes, checksum: sha256(`retry of ${jobId}`) });
    } catch (error) {
      const reason = isOutOfSpace(error) ? 'no_space' : 'source_incomplete';
      // where even that cannot be written down, the lease of the job lapses
      await this.fill.fail(begun.begun, reason).catch(() => undefined);
      throw error;
    }
  }
}
