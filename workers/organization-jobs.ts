import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { EndOrganizationSessions } from '../src/domain/organizations/end-organization-sessions.js';
import { EraseOrganization } from '../src/domain/organizations/erase-organization.js';
import type { OrgId } from '../src/domain/shared/ids.js';
import { readPayload } from '../src/queues/job-contract.js';
import { endOrganizationSessionsJob, eraseOrganizationJob } from '../src/queues/maintenance.queue.js';
import { deferToNewerWorker, delayJob } from './delay-job.js';

/**
 * What follows when an organization is removed or switched off, in parts, so that other upkeep and a worker that is told to stop
 * need not wait for a million users.
 */
@Injectable()
export class OrganizationJobs {
  constructor(
    private readonly eraseOrganization: EraseOrganization,
    private readonly endOrganizationSessions: EndOrganizationSessions,
  ) {}

  async erase(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(eraseOrganizationJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const result = await this.eraseOrganization.run(payload.orgId as OrgId, payload.outboxId);
    if (result.kind === 'more') return await delayJob(job, token, result.retryInMs);
    return result.kind;
  }

  async endSessions(job: Job, token: string | undefined): Promise<string> {
    const payload = readPayload(endOrganizationSessionsJob, job);
    if (payload === undefined) return await deferToNewerWorker(job, token);
    const result = await this.endOrganizationSessions.run(payload.orgId as OrgId, payload.outboxId);
    if (result.kind === 'more') return await delayJob(job, token, result.retryInMs);
    return result.kind;
  }
}
