import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../outbox/outbox.store.js';
import { Clock } from '../shared/clock.js';
import type { ImportJobId, UserId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { unpackOutcomes } from './chunk-text.js';
import { EndImport } from './end-import.js';
import { ImportChunksStore } from './import-chunks.store.js';
import type { ImportJob } from './import-job.js';
import { ImportJobsStore } from './import-jobs.store.js';
import { ImportPermission } from './import-permission.js';
import { ImportUsersStore, isSms } from './import-users.store.js';
import { OweImportSms } from './owe-import-sms.js';
import { NOTIFY_IMPORT_CHUNK, QueueImports } from './queue-imports.js';

/** Messages that one step owed; undefined when there was nothing to do. */
export type NotifyStep = { readonly messages: number } | 'ended' | 'held' | undefined;

/**
 * Sends what an import with `notify: deferred` kept back, a chunk at a time: to the users that it created and that
 * still have something to verify, or no password. What is due is asked when it is sent, so that nobody gets a code
 * for what is done already, and codes are as fresh as their messages.
 */
@Injectable()
export class NotifyImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly jobs: ImportJobsStore,
    private readonly chunks: ImportChunksStore,
    private readonly users: ImportUsersStore,
    private readonly oweImportSms: OweImportSms,
    private readonly queue: QueueImports,
    private readonly outbox: OutboxStore,
    private readonly end: EndImport,
    private readonly permission: ImportPermission,
    private readonly clock: Clock,
  ) {}

  async step(jobId: ImportJobId, outboxId: string): Promise<NotifyStep> {
    const job = await this.jobs.findById(jobId);
    const reason = job && (await this.permission.reasonToHold(job, askedBy(job)));
    const smsMode = await this.oweImportSms.mode();
    return await this.unitOfWork.run(async (tx): Promise<NotifyStep> => {
      if (!(await this.outbox.take(tx, outboxId)) || job?.notified !== 'running') return undefined;
      if (reason !== undefined) {
        const held = await this.jobs.holdNotify(tx, jobId);
        if (held !== undefined)
          await this.end.record(tx, held, 'import.notify.held', { reason }, askedBy(job));
        return 'held';
      }
      const chunk = await this.chunks.nextToNotify(tx, jobId);
      if (chunk === undefined) {
        const ended = await this.jobs.endNotify(tx, jobId);
        if (ended !== undefined) await this.end.record(tx, ended, 'import.notified', {}, askedBy(ended));
        return 'ended';
      }
      const outcomes = await unpackOutcomes(chunk.outcomes);
      const ids = outcomes.flatMap(({ outcome, userId }) =>
        outcome === 'created' && userId !== undefined ? [userId] : [],
      );
      const messages = await this.users.dueMessages(tx, ids);
      const mails = messages.filter((message) => !isSms(message));
      const now = new Date(this.clock.nowMs());
      await this.users.oweMessages(tx, mails, now);
      const sms = await this.oweImportSms.execute(tx, smsMode, messages.filter(isSms), now);
      await this.chunks.markNotified(tx, jobId, chunk.number);
      await this.queue.chunk(tx, NOTIFY_IMPORT_CHUNK, jobId, chunk.number);
      return { messages: mails.length + sms };
    });
  }
}

/** Who has the messages sent need not be who imported. */
function askedBy({ notifiedBy, createdBy }: ImportJob): UserId {
  return notifiedBy ?? createdBy;
}
