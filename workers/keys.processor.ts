import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { RotateKeys } from '../src/domain/signing-keys/rotate-keys.js';
import { WatchKeySet } from '../src/domain/signing-keys/watch-key-set.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { rotateKeysJob } from '../src/queues/keys.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { deferToNewerWorker } from './delay-job.js';
import { RecordHeartbeat } from './record-heartbeat.js';

@Processor('keys', { concurrency: 1 })
export class KeysProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly heartbeat: RecordHeartbeat,
    private readonly rotateKeys: RotateKeys,
    private readonly watchKeySet: WatchKeySet,
  ) {
    super();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    if (job.name === heartbeatJob.name) {
      await this.heartbeat.run('keys');
      return undefined;
    }
    if (job.name === rotateKeysJob.name) {
      const steps = await this.rotateKeys.run();
      await this.watchKeySet.run();
      return `${steps} steps`;
    }
    return await deferToNewerWorker(job, token);
  }
}
