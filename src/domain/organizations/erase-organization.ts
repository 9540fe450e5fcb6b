import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { OutboxStore } from '../outbox/outbox.store.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { crashPoint } from '../shared/crash-point.js';
import type { OrgId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { OrganizationsStore } from './organizations.store.js';

/** Name of the job that erases a removed organization; its payload holds `orgId`. */
export const ERASE_ORGANIZATION = 'erase-organization';

/** A chunk is one transaction of well under a second. */
const CHUNK = 500;
const CHUNKS_PER_RUN = 10;
const PAUSE_BETWEEN_RUNS_MS = 250;
const SETTLING_MS = 60_000;

type EraseResult = { readonly kind: 'more'; readonly retryInMs: number } | { readonly kind: 'erased' };

/**
 * Erases the data of a removed organization: the personal data of its users, with the end of their sessions
 * notified to the applications that asked for it (Back-Channel Logout §2.5), secrets and keys of its applications, members,
 * policies. A run does a bounded part; killed or repeated, the next one continues with the rest.
 */
@Injectable()
export class EraseOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly organizations: OrganizationsStore,
    private readonly sessions: SessionsStore,
    private readonly events: EventsStore,
    private readonly outbox: OutboxStore,
  ) {}

  /** @param outboxId the row that this work was published from, as the job says: not trusted */
  async run(orgId: OrgId, outboxId: string, chunk = CHUNK): Promise<EraseResult> {
    for (let round = 0; round < CHUNKS_PER_RUN; round += 1) {
      const left = await this.eraseChunk(orgId, chunk);
      crashPoint('organization-erase-after-chunk');
      if (left) continue;
      if (!(await this.finish(orgId))) return { kind: 'more', retryInMs: SETTLING_MS };
      await this.outbox.discard({
        outboxId,
        queue: 'maintenance',
        jobName: ERASE_ORGANIZATION,
        payload: { orgId },
      });
      return { kind: 'erased' };
    }
    return { kind: 'more', retryInMs: PAUSE_BETWEEN_RUNS_MS };
  }

  /** @returns whether there was anything */
  private async eraseChunk(orgId: OrgId, limit: number): Promise<boolean> {
    return await this.unitOfWork.run(async (tx) => {
      const users = await this.organizations.lockUsersToErase(tx, orgId, limit);
      if (users.length > 0) {
        await this.sessions.endOfUsers(tx, orgId, users, 'organization_removed', null);
        await this.organizations.eraseUsers(tx, orgId, users);
        return true;
      }
      return (await this.organizations.eraseOthers(tx, orgId, limit)) > 0;
    });
  }

  private async finish(orgId: OrgId): Promise<boolean> {
    return await this.unitOfWork.run(async (tx) => {
      const finished = await this.organizations.finishErasure(tx, orgId);
      if (finished === 'too-early') return false;
      if (finished === 'finished-before') return true;
      const subject = { orgId, aggregateType: 'organization' as const, aggregateId: orgId, actorId: null };
      const { sequence } = finished;
      await this.events.append(tx, { ...subject, sequence, type: 'organization.erased' });
      return true;
    });
  }
}
