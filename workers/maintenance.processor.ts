import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { LookAfterProviders } from '../src/domain/identity-providers/look-after-providers.js';
import { MaintenanceStore } from '../src/domain/maintenance/maintenance.store.js';
import { RemoveExpiredRows } from '../src/domain/maintenance/remove-expired-rows.js';
import { RemoveOldEvents } from '../src/domain/maintenance/remove-old-events.js';
import { RemoveUnusedRows } from '../src/domain/maintenance/remove-unused-rows.js';
import { SweepStuckRows } from '../src/domain/maintenance/sweep-stuck-rows.js';
import { describeCounts, type UpkeepCounts } from '../src/domain/maintenance/upkeep-counts.js';
import { EndOrganizationSessions } from '../src/domain/organizations/end-organization-sessions.js';
import { EraseOrganization } from '../src/domain/organizations/erase-organization.js';
import type { OrgId } from '../src/domain/shared/ids.js';
import { WarnOfOldSystems } from '../src/domain/user-migration/warn-of-old-systems.js';
import { Metrics } from '../src/ops/metrics.js';
import { heartbeatJob } from '../src/queues/heartbeat.queue.js';
import { readPayload } from '../src/queues/job-contract.js';
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
import { deferToNewerWorker, delayJob } from './delay-job.js';
import { RecordHeartbeat } from './record-heartbeat.js';

@Processor('maintenance', { concurrency: 2 })
export class MaintenanceProcessor extends WorkerHost<QueueWorker> {
  constructor(
    private readonly removeExpiredRows: RemoveExpiredRows,
    private readonly removeUnusedRows: RemoveUnusedRows,
    private readonly removeOldEvents: RemoveOldEvents,
    private readonly sweepStuckRows: SweepStuckRows,
    private readonly maintenance: MaintenanceStore,
    private readonly heartbeat: RecordHeartbeat,
    private readonly eraseOrganization: EraseOrganization,
    private readonly endOrganizationSessions: EndOrganizationSessions,
    private readonly lookAfterProviders: LookAfterProviders,
    private readonly warnOfOldSystems: WarnOfOldSystems,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  override async process(job: Job, token?: string): Promise<string | undefined> {
    switch (job.name) {
      case heartbeatJob.name:
        await this.heartbeat.run('maintenance');
        return undefined;
      case removeExpiredRowsJob.name:
        return this.summarize(await this.removeExpiredRows.run());
      case removeUnusedRowsJob.name:
        return this.summarize(await this.removeUnusedRows.run());
      case removeOldEventsJob.name:
        return this.summarize(await this.removeOldEvents.run());
      case sweepStuckRowsJob.name:
        return this.summarize(await this.sweepStuckRows.run());
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
        return await this.erase(job, token);
      case endOrganizationSessionsJob.name:
        return await this.endSessions(job, token);
      default:
        return await deferToNewerWorker(job, token);
    }
  }

  /** Numbers alone, for the dashboard and the metrics. */
  private summarize(counts: UpkeepCounts): string {
    for (const [kind, count] of Object.entries(counts)) this.metrics.upkeepRows.inc({ kind }, count);
    return describeCounts(counts);
  }

  /** In parts, so that other upkeep and a worker that is told to stop need not wait for a million users. */
  private async erase(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(eraseOrganizationJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const result = await this.eraseOrganization.run(payload.orgId as OrgId, payload.outboxId);
    if (result.kind === 'more') return await delayJob(job, token, result.retryInMs);
    return result.kind;
  }

  private async endSessions(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(endOrganizationSessionsJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const result = await this.endOrganizationSessions.run(payload.orgId as OrgId, payload.outboxId);
    if (result.kind === 'more') return await delayJob(job, token, result.retryInMs);
    return result.kind;
  }
}
