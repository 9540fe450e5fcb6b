import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { ImportJobId } from '../shared/ids.js';
import { unpackOutcomes } from './chunk-text.js';
import { ImportAftercareStore } from './import-aftercare.store.js';
import { ImportUsersStore, isSms } from './import-users.store.js';
import { OweImportSms } from './owe-import-sms.js';
import { RunImportAftercare, type AftercareStep } from './run-import-aftercare.js';

export interface NotifiedChunk {
  /** How many were made due. */
  readonly messages: number;
}

/**
 * Sends what an import with `notify: deferred` kept back, a chunk at a time: to the users that it created and that
 * still have something to verify, or no password. What is due is asked when it is sent, so that nobody gets a code
 * for what is done already, and codes are as fresh as their messages.
 */
@Injectable()
export class NotifyImport {
  constructor(
    private readonly aftercare: RunImportAftercare,
    private readonly store: ImportAftercareStore,
    private readonly users: ImportUsersStore,
    private readonly oweImportSms: OweImportSms,
    private readonly clock: Clock,
  ) {}

  async step(jobId: ImportJobId, outboxId: string): Promise<AftercareStep<NotifiedChunk>> {
    const smsMode = await this.oweImportSms.mode();
    return await this.aftercare.step('notify', jobId, outboxId, async (tx, job, chunk) => {
      const outcomes = await unpackOutcomes(chunk.outcomes);
      const ids = outcomes.flatMap(({ outcome, userId }) =>
        outcome === 'created' && userId !== undefined ? [userId] : [],
      );
      const messages = await this.users.dueMessages(tx, ids);
      const mails = messages.filter((message) => !isSms(message));
      const now = new Date(this.clock.nowMs());
      await this.users.oweMessages(tx, mails, now);
      const sms = await this.oweImportSms.execute(tx, smsMode, messages.filter(isSms), now);
      await this.store.markNotified(tx, job.id, chunk.number);
      return { messages: mails.length + sms };
    });
  }
}
