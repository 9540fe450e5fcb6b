import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { ApiError } from '../shared/errors.js';
import type { ApplicationId, ImportJobId, OrgId, UserId } from '../shared/ids.js';
import type { Page } from '../shared/page.js';
import { randomId, sha256 } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { packRecords, unpackOutcomes, unpackRecords } from './chunk-text.js';
import { ImportSettings } from './end-import.js';
import {
  ENDED_STATES,
  importNotFound,
  wrongState,
  type ImportChange,
  type ImportFailure,
  type ImportJob,
  type ImportJobState,
  type ImportOptions,
  type ImportQuery,
  type PostImportWork,
} from './import-job.js';
import { ImportPermission } from './import-permission.js';
import { ImportSpace, isOutOfSpace } from './import-space.js';
import { ImportsStore } from './imports.store.js';
import { QueueImports } from './queue-imports.js';
import type { ReceivedRecord } from './received-record.js';
import type { OutcomeKind, RecordOutcome } from './record-outcome.js';
import { PASSES, type ImportPass } from './records/passes.js';

export interface BeginImport extends ImportOptions {
  readonly orgId: OrgId;
  readonly callerId: UserId;
  /** The application by whose token they ask: it goes on only for as long as both may (`Acting`). */
  readonly through: ApplicationId | null;
  readonly idempotencyKey?: string | undefined;
  readonly retryOf?: ImportJobId | undefined;
  /** Of the upload as it is on the wire: its Content-Length, where it has one. */
  readonly bytesExpected?: number | undefined;
  /** Of the personal access token that it is asked for with: its end is the import's. */
  readonly tokenId?: string | undefined;
}

/** A job that is being received, and how far it is. */
export interface OpenImport {
  readonly jobId: ImportJobId;
  readonly orgId: OrgId;
  readonly callerId: UserId;
}

/** `known`: the same caller sent the same key before, and this is what became of it. */
export type BegunImport = { readonly begun: OpenImport } | { readonly known: ImportJob };

/** Whoever receives a file says every second that they live, and how far it is; after so long its key is free. */
const LEASE_MS = 45_000;
/** More than sealing adds to a chunk. */
const SEAL_BYTES = 128;
export const RENEW_LEASE_MS = 1_000;

/**
 * Import jobs as their organization sees them. Receiving one takes a transaction for each chunk and a last one that
 * makes it count: a file that ends early leaves a failed job and no user.
 */
@Injectable()
export class ImportJobs {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly permission: ImportPermission,
    private readonly queue: QueueImports,
    private readonly space: ImportSpace,
    private readonly events: EventsStore,
    private readonly settings: ImportSettings,
  ) {}

  /**
   * Makes a job that is to be read. The same Idempotency-Key gives the job that it made before, unless that one's
   * file never arrived whole.
   *
   * @throws ApiError aborted while the first request with the key is under way; resource-exhausted or storage-full as
   * ImportSpace says
   */
  async begin({ callerId, through, idempotencyKey, ...options }: BeginImport): Promise<BegunImport> {
    const { orgId } = options;
    const callerKey = idempotencyKey === undefined ? undefined : sha256(idempotencyKey);
    const instanceWide = await this.reachesInstance({ actorId: callerId, through }, orgId);
    const id = randomId() as ImportJobId;
    const job = {
      ...options,
      id,
      instanceWide,
      createdBy: callerId,
      createdThrough: through,
      callerKey,
      leaseMs: LEASE_MS,
    };
    const added = await this.unitOfWork.run(async (tx) => {
      if (!(await this.imports.add(tx, job))) return false;
      await this.space.requireBegin(tx, orgId);
      return true;
    });
    if (added) {
      return { begun: { jobId: id, orgId, callerId } };
    }
    const known = callerKey && (await this.imports.findByKey(orgId, callerId, callerKey));
    if (known?.state === 'reading' && (await this.giveUp(known.id))) {
      return await this.begin({ callerId, through, idempotencyKey, ...options });
    }
    if (known === undefined || known.state === 'reading') {
      throw new ApiError('aborted', 'a request with this Idempotency-Key is under way', undefined, 1);
    }
    return { known };
  }

  /** Its receiver goes on. */
  async renewLease({ jobId }: OpenImport, bytesArrived: number): Promise<void> {
    await this.imports.renewLease(jobId, LEASE_MS, bytesArrived);
  }

  /** Whoever received the file died over it. @returns false where they live */
  private async giveUp(jobId: ImportJobId): Promise<boolean> {
    return await this.unitOfWork.run(async (tx) => {
      const job = await this.imports.giveUp(tx, jobId, this.settings.retentionMs);
      if (job === undefined) return false;
      await this.record(tx, job, 'import.failed', job.createdBy, { reason: job.reason });
      return true;
    });
  }

  /**
   * Keeps the next records, sealed. Numbers count from 1 without gaps.
   *
   * @param about organization of the records that name none, which may be told later (`assignOrganization`), and when
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
      throw new ApiError('aborted', 'the import was ended while its file was received', 'IMPORT-3rC8d');
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
      if (job === undefined) {
        throw new ApiError('aborted', 'the import was ended while its file was received', 'IMPORT-3rC8d');
      }
      await this.record(tx, job, 'import.queued', callerId, { records: job.total });
      await this.queue.fillWindow(tx, orgId);
      await this.queue.follow(tx, jobId);
      return job;
    });
  }

  /** The file did not arrive whole, or cannot be read: nothing of it happens. */
  async fail({ jobId, callerId }: OpenImport, reason: ImportFailure): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      const job = await this.imports.fail(tx, jobId, reason, this.settings.retentionMs);
      if (job !== undefined) await this.record(tx, job, 'import.failed', callerId, { reason });
    });
  }

  /** @throws ApiError not-found */
  async find(orgId: OrgId, jobId: ImportJobId): Promise<ImportJob> {
    const job = await this.imports.find(orgId, jobId);
    if (job === undefined) throw importNotFound();
    return job;
  }

  /** The same for somebody who looks: jobs of the whole instance are for who may import into all of it. */
  async view(orgId: OrgId, jobId: ImportJobId, viewer: Acting): Promise<ImportJob> {
    const job = await this.find(orgId, jobId);
    if (job.instanceWide && !(await this.reachesInstance(viewer, orgId))) throw importNotFound();
    return job;
  }

  async list(orgId: OrgId, query: ImportQuery, viewer: Acting): Promise<Page<ImportJob>> {
    return await this.imports.list(orgId, query, await this.reachesInstance(viewer, orgId));
  }

  /** Holds before the chunks that are not at work yet. @throws ApiError not-found, failed-precondition */
  async pause(tx: Tx, change: ImportChange): Promise<ImportJob> {
    return await this.moveOn(tx, change, ['queued', 'running'], 'paused', 'paused');
  }

  /** @throws ApiError as `pause` */
  async resume(tx: Tx, change: ImportChange): Promise<ImportJob> {
    const job = await this.moveOn(tx, change, ['paused'], 'running', 'resumed');
    await this.queue.fillWindow(tx, change.orgId);
    return job;
  }

  /** What was written stays; what was not is dropped. @throws ApiError as `pause` */
  async cancel(tx: Tx, change: ImportChange): Promise<ImportJob> {
    const from = ['reading', 'queued', 'running', 'paused'] as const;
    await this.moveOn(tx, change, from, 'cancelling', 'cancelled', 'import.cancel.begun');
    await this.imports.dropWaiting(tx, change.jobId);
    // with chunks still at work the last of them tells the end
    const ended = await this.imports.settle(tx, change.jobId, this.settings.retentionMs);
    if (ended !== undefined) await this.record(tx, ended, 'import.cancelled', change.actorId);
    return await this.reread(tx, change);
  }

  /**
   * Takes out again who was created, unless they have signed in or were changed since: those are kept and listed.
   * @throws ApiError as `pause`
   */
  async undo(tx: Tx, change: ImportChange): Promise<ImportJob> {
    return await this.beginPostImport(tx, 'undo', change, 'undone');
  }

  /** Sends what a job with `notify: deferred` has kept back. @throws ApiError as `pause` */
  async notify(tx: Tx, change: ImportChange): Promise<ImportJob> {
    return await this.beginPostImport(tx, 'notify', change, 'notified');
  }

  /**
   * A new job of the records that failed, as they were received. Corrected ones are received like any other file,
   * with `retryOf`.
   *
   * @throws ApiError not-found, failed-precondition while the job has not ended, or when nothing failed
   */
  async retry(
    { orgId, jobId, actorId, through }: ImportChange,
    idempotencyKey?: string,
    tokenId?: string,
  ): Promise<ImportJob> {
    const job = await this.requireEnded(orgId, jobId, { actorId, through });
    const { format, mode, dryRun, notify, initialState, updatePasswords, fileName } = job;
    const options = { format, mode, dryRun, notify, initialState, updatePasswords, fileName };
    const asked = { orgId, callerId: actorId, through, idempotencyKey, tokenId, retryOf: jobId };
    const begun = await this.begin({ ...options, ...asked });
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
        await this.appendChunk(begun.begun, number, records, { pass, recordsOrgId });
      }
      return await this.complete(begun.begun, { bytes, checksum: sha256(`retry of ${jobId}`) });
    } catch (error) {
      await this.fail(begun.begun, isOutOfSpace(error) ? 'no_space' : 'source_incomplete');
      throw error;
    }
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

  private async moveOn(
    tx: Tx,
    change: ImportChange,
    from: readonly ImportJobState[],
    to: 'paused' | 'running' | 'cancelling',
    wanted: 'paused' | 'resumed' | 'cancelled',
    event: EventType = `import.${wanted}`,
  ): Promise<ImportJob> {
    const { orgId, jobId, actorId } = change;
    await this.requireReach(tx, change);
    const job = await this.imports.moveOn(tx, orgId, jobId, from, to);
    if (job === undefined) throw await this.refusal(tx, change, wanted);
    await this.record(tx, job, event, actorId);
    return job;
  }

  private async beginPostImport(
    tx: Tx,
    postImport: PostImportWork,
    change: ImportChange,
    wanted: string,
  ): Promise<ImportJob> {
    await this.requireReach(tx, change);
    const job = await this.imports.beginPostImport(tx, postImport, change);
    if (job === undefined) throw await this.refusal(tx, change, wanted);
    await this.record(tx, job, `import.${postImport}.begun`, change.actorId);
    await this.queue.postImport(tx, postImport, change.jobId, 0);
    return job;
  }

  /**
   * A job of the whole instance has users of every organization: whoever manages only the one that it was begun in has
   * no say in it.
   */
  private async requireReach(tx: Tx, change: ImportChange): Promise<void> {
    const { orgId, jobId } = change;
    const job = await this.imports.find(orgId, jobId, tx);
    if (job?.instanceWide === true && !(await this.reachesInstance(change, orgId, tx)))
      throw importNotFound();
  }

  private async reachesInstance(caller: Acting, orgId: OrgId, tx?: Tx): Promise<boolean> {
    return await this.permission.holds(caller, { orgId, instanceWide: true }, 'user.import', tx);
  }

  private async reread(tx: Tx, { orgId, jobId }: ImportChange): Promise<ImportJob> {
    const job = await this.imports.find(orgId, jobId, tx);
    if (job === undefined) throw importNotFound();
    return job;
  }

  private async refusal(tx: Tx, change: ImportChange, wanted: string): Promise<ApiError> {
    const job = await this.imports.find(change.orgId, change.jobId, tx);
    return job === undefined ? importNotFound() : wrongState(wanted, job.state);
  }

  private async record(
    tx: Tx,
    { id, orgId, details }: ImportJob,
    type: EventType,
    actorId: UserId,
    data: Readonly<Record<string, string | number | undefined>> = {},
  ): Promise<void> {
    const subject = { orgId, aggregateType: 'import' as const, aggregateId: id };
    await this.events.append(tx, { ...subject, sequence: details.sequence, type, actorId, data });
  }
}
