import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { RefreshProviders } from '../src/domain/identity-providers/refresh-providers.js';
import { MaintenanceStore } from '../src/domain/maintenance/maintenance.store.js';
import { describeCounts } from '../src/domain/maintenance/upkeep-counts.js';
import { WarnOfOldSystems } from '../src/domain/user-migration/warn-of-old-systems.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import {
  endOrganizationSessionsJob,
  ensureEventPartitionsJob,
  eraseOrganizationJob,
  lookAfterProvidersJob,
  removeExpiredRowsJob,
  removeOldEventsJob,
  removeUnusedRowsJob,
  sweepStuckRowsJob,
} from '../src/queues/maintenance.queue.js';
import type { QueueWorker } from '../src/queues/queue-worker.js';
import { deferToNewerWorker } from './delay-job.js';
import { OrganizationJobs } from './organization-jobs.js';
import { RecordHeartbeat } from './record-heartbeat.js';
import { RowUpkeep } from './row-upkeep.js';

@Processor('maintenance', { concurrency: 2 })
export class MaintenanceProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly rows: RowUpkeep,
    private readonly organizations: OrganizationJobs,
    private readonly maintenance: MaintenanceStore,
    private readonly lookAfterProviders: RefreshProviders,
    private readonly warnOfOldSystems: WarnOfOldSystems,
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
        return await this.rows.removeExpired();
      case removeUnusedRowsJob.name:
        return await this.rows.removeUnused();
      case removeOldEventsJob.name:
        return await this.rows.removeOldEvents();
      case sweepStuckRowsJob.name:
        return await this.rows.sweepStuck();
      case ensureEventPartitionsJob.name:
        await this.maintenance.ensureEventPartitions();
        return undefined;
      case lookAfterProvidersJob.name:
        // before anything goes out, which may take long
        return describeCounts({
          ...(await this.warnOfOldSystems.run()),
          ...(await this.lookAfterProviders.run()),
        });
      case eraseOrganizationJob.name:
        return await this.organizations.erase(job, token);
      case endOrganizationSessionsJob.name:
        return await this.organizations.endSessions(job, token);
      default:
        return await deferToNewerWorker(job, token);
    }
  }
}
