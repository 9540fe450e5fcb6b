import { Injectable } from '@nestjs/common';
import { OutboxStore } from '../outbox/outbox.store.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import type { OrgId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';

/** Name of the job; its payload holds `orgId`. */
export const END_ORGANIZATION_SESSIONS = 'end-organization-sessions';

/** A chunk is one transaction of well under a second. */
const CHUNK = 500;
const CHUNKS_PER_RUN = 10;
const PAUSE_BETWEEN_RUNS_MS = 250;

type EndSessionsResult = { readonly kind: 'more'; readonly retryInMs: number } | { readonly kind: 'ended' };

/**
 * The sessions of a deactivated organization are invalid by its epoch from the first moment. This ends their
 * rows as well, of which there may be a million, so that applications are notified (Back-Channel Logout §2.5). A run does
 * a bounded part; killed or repeated, the next one continues with the rest. Sessions after a reactivation
 * are not touched.
 */
@Injectable()
export class EndOrganizationSessions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsStore,
    private readonly outbox: OutboxStore,
  ) {}

  /** @param outboxId the row that this work was published from, as the job says: not trusted */
  async run(orgId: OrgId, outboxId: string, chunk = CHUNK): Promise<EndSessionsResult> {
    for (let round = 0; round < CHUNKS_PER_RUN; round += 1) {
      const ended = await this.unitOfWork.run((tx) =>
        this.sessions.endOutdated(tx, orgId, chunk, 'organization_deactivated'),
      );
      if (ended > 0) continue;
      await this.outbox.discard({
        outboxId,
        queue: 'maintenance',
        jobName: END_ORGANIZATION_SESSIONS,
        payload: { orgId },
      });
      return { kind: 'ended' };
    }
    return { kind: 'more', retryInMs: PAUSE_BETWEEN_RUNS_MS };
  }
}
