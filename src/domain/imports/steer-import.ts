import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import type { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { EndImport } from './end-import.js';
import { ImportEvents } from './import-events.js';
import {
  importNotFound,
  wrongState,
  type ImportChange,
  type ImportJob,
  type ImportJobState,
  type PostImportWork,
} from './import-job.js';
import { ImportPermission } from './import-permission.js';
import { ImportsStore } from './imports.store.js';
import { QueueImports } from './queue-imports.js';

/** Pauses, resumes or cancels an import, and begins its retry, its undoing or its messages. */
@Injectable()
export class SteerImport {
  constructor(
    private readonly imports: ImportsStore,
    private readonly permission: ImportPermission,
    private readonly queue: QueueImports,
    private readonly events: ImportEvents,
    private readonly end: EndImport,
  ) {}

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
    await this.end.cancel(tx, change.jobId, change.actorId);
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
    await this.events.append(tx, job, event, {}, actorId);
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
    await this.events.append(tx, job, `import.${postImport}.begun`, {}, change.actorId);
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
    if (job?.instanceWide === true && !(await this.permission.reachesInstance(change, orgId, tx)))
      throw importNotFound();
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
}
