import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { RemoveExpiredRows } from '../src/domain/maintenance/remove-expired-rows.js';
import { UpkeepStore } from '../src/domain/maintenance/upkeep.store.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { ensureEventPartitionsJob, removeExpiredRowsJob } from '../src/queues/maintenance.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { leaveToNewerWorker } from './put-off.js';
import { RecordHeartbeat } from './record-heartbeat.js';

@Processor('maintenance', { concurrency: 2 })
export class MaintenanceProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly removeExpiredRows: RemoveExpiredRows,
    private readonly upkeep: UpkeepStore,
    private readonly heartbeat: RecordHeartbeat,
  ) {
    super();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run('maintenance');
        return undefined;
      case removeExpiredRowsJob.name:
        return `${await this.removeExpiredRows.run()} rows`;
      case ensureEventPartitionsJob.name:
        await this.upkeep.ensureEventPartitions();
        return undefined;
      default:
        return await leaveToNewerWorker(job, token);
    }
  }
}
