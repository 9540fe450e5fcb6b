import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { unpackOutcomes } from '../chunks/chunk-text.js';
import { ImportsStore } from '../imports.store.js';
import type { PostImportJob } from '../queue-imports.js';
import { EnqueueImportSms } from '../write/enqueue-import-sms.js';
import { ImportUsersStore, isSms } from '../write/import-users.store.js';
import { RunPostImport, type PostImportStep } from './run-post-import.js';

interface NotifiedChunk {
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
    private readonly postImport: RunPostImport,
    private readonly imports: ImportsStore,
    private readonly users: ImportUsersStore,
    private readonly enqueueImportSms: EnqueueImportSms,
    private readonly clock: Clock,
  ) {}

  async step(from: PostImportJob): Promise<PostImportStep<NotifiedChunk>> {
    const smsMode = await this.enqueueImportSms.mode();
    return await this.postImport.step('notify', from, async (tx, job, chunk) => {
      const outcomes = await unpackOutcomes(chunk.outcomes);
      const ids = outcomes.flatMap(({ outcome, userId }) =>
        outcome === 'created' && userId !== undefined ? [userId] : [],
      );
      const messages = await this.users.dueMessages(tx, ids);
      const mails = messages.filter((message) => !isSms(message));
      const now = new Date(this.clock.nowMs());
      await this.users.enqueueMessages(tx, mails, now);
      const sms = await this.enqueueImportSms.execute(tx, smsMode, messages.filter(isSms), now);
      await this.imports.markNotified(tx, job.id, chunk.number);
      return { messages: mails.length + sms };
    });
  }
}
