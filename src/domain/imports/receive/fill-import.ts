import { Injectable } from '@nestjs/common';
import { ApiError } from '../../shared/errors.js';
import type { ImportJobId, OrgId, UserId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { packRecords } from '../chunks/chunk-text.js';
import { EndImport } from '../end-import.js';
import { ImportEvents } from '../import-events.js';
import type { ImportFailure, ImportJob } from '../import-job.js';
import { ImportsStore } from '../imports.store.js';
import { QueueImports } from '../queue-imports.js';
import { PASSES, type ImportPass } from '../records/passes.js';
import { ImportSpace } from './import-space.js';
import type { ReceivedRecord } from './received-record.js';

/** A job that is being received, and how far it is. */
export interface OpenImport {
  readonly jobId: ImportJobId;
  readonly orgId: OrgId;
  readonly callerId: UserId;
}

/** The process that receives a file renews its lease every second, with its progress; without that the import fails after so long. */
export const LEASE_MS = 45_000;
/** More than sealing adds to a chunk. */
const SEAL_BYTES = 128;
export const RENEW_LEASE_MS = 1_000;

/**
 * Receiving the file of an import takes a transaction for each chunk and a last one that makes it count: one that ends
 * early leaves a failed job and no user.
 */
@Injectable()
export class FillImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly queue: QueueImports,
    private readonly space: ImportSpace,
    private readonly events: ImportEvents,
    private readonly end: EndImport,
  ) {}

  /** Its receiver continues. */
  async renewLease({ jobId }: OpenImport, bytesArrived: number): Promise<void> {
    await this.imports.renewLease(jobId, LEASE_MS, bytesArrived);
  }

  /**
   * Keeps the next records, sealed. Numbers count from 1 without gaps.
   *
   * @param about organization of the records that name none, which may be set later (`assignOrganization`), and when
   * it is their turn
   * @throws ApiError aborted when the job was cancelled, or given up, meanwhile; storage-full where there is no space for
   * them
   */
  async appendChunk(
    { jobId, orgId }: OpenImport,
    number: number,
    records: readonly ReceivedRecord[],
    about: { readonly recordsOrgId?: OrgId | undefined; readonly pass?: ImportPass } = {},
  ): Promise<void> {
    const [first] = records;
    if (first === undefined) throw new Error('a chunk has at least one record');
    const packed = await packRecords(records);
    const { pass = PASSES.users, recordsOrgId } = about;
    const chunk = { number, firstLine: first.line, records: records.length, pass, recordsOrgId, packed };
    if (await this.imports.addChunk(jobId, chunk, LEASE_MS)) return;
    // it has ended, or what it holds does not reach
    const extended = await this.space.extend(jobId, orgId, packed.length + SEAL_BYTES);
    if (!extended || !(await this.imports.addChunk(jobId, chunk, LEASE_MS))) {
      throw endedMeanwhile();
    }
  }

  /** For a format where the organization may stand behind its users. */
  async assignOrganization({ jobId }: OpenImport, numbers: readonly number[], orgId: OrgId): Promise<void> {
    if (numbers.length > 0) await this.imports.assignOrganization(jobId, numbers, orgId);
  }

  /** The file is here whole: from now on the import happens. @throws ApiError aborted as `appendChunk` */
  async complete(
    { jobId, orgId, callerId }: OpenImport,
    source: { readonly bytes: number; readonly checksum: Buffer },
  ): Promise<ImportJob> {
    return await this.unitOfWork.run(async (tx) => {
      const job = await this.imports.complete(tx, jobId, source);
      if (job === undefined) throw endedMeanwhile();
      await this.events.append(tx, job, 'import.queued', { records: job.total }, callerId);
      await this.queue.fillWindow(tx, orgId);
      await this.queue.follow(tx, jobId);
      return job;
    });
  }

  /** The file did not arrive whole, or cannot be read: nothing of it happens. */
  async fail({ jobId }: OpenImport, reason: ImportFailure): Promise<void> {
    await this.unitOfWork.run((tx) => this.end.failReading(tx, jobId, reason));
  }
}

function endedMeanwhile(): ApiError {
  return new ApiError('aborted', 'the import was ended while its file was received', 'IMPORT-3rC8d');
}
