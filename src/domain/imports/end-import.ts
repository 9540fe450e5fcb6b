import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { ImportJobId, UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import type { ImportJob } from './import-job.js';
import { ImportsStore } from './imports.store.js';

/** Token under which the configuration provides what this module needs to know. */
export abstract class ImportSettings {
  /** Jobs and what became of their records are kept for so long after the end. */
  abstract readonly retentionMs: number;
}

/** The end of an import: reached once, by whoever finds that no chunk is left. */
@Injectable()
export class EndImport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly imports: ImportsStore,
    private readonly events: EventsStore,
    private readonly settings: ImportSettings,
    private readonly log: Log,
  ) {}

  /**
   * In a transaction of its own, after the chunk's: of two chunks that end at the same time neither sees the other
   * end, but whoever looks last sees both.
   */
  async settle(jobId: ImportJobId): Promise<ImportJob | undefined> {
    const job = await this.unitOfWork.run(async (tx) => {
      const ended = await this.imports.settle(tx, jobId, this.settings.retentionMs);
      if (ended !== undefined) {
        const type = ended.state === 'cancelled' ? 'import.cancelled' : 'import.done';
        await this.record(tx, ended, type, { ...ended.counts });
      }
      return ended;
    });
    if (job !== undefined) {
      const { created, updated, skipped, failed } = job.counts;
      this.log.info('import ended', { id: jobId, state: job.state, created, updated, skipped, failed });
    }
    return job;
  }

  async record(
    tx: Tx,
    { id, orgId, createdBy, details }: ImportJob,
    type: EventType,
    data: Readonly<Record<string, string | number>> = {},
    actorId: UserId = createdBy,
  ): Promise<void> {
    const subject = { orgId, aggregateType: 'import' as const, aggregateId: id };
    await this.events.append(tx, { ...subject, sequence: details.sequence, type, actorId, data });
  }
}
