import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ImportJob } from './import-job.js';

/** The events of an import in the audit log of its organization. */
@Injectable()
export class ImportEvents {
  constructor(private readonly events: EventsStore) {}

  /** @param actorId who did it; whoever imports, where nobody did */
  async append(
    tx: Tx,
    { id, orgId, createdBy, details }: ImportJob,
    type: EventType,
    data: Readonly<Record<string, string | number | undefined>> = {},
    actorId: UserId = createdBy,
  ): Promise<void> {
    const subject = { orgId, aggregateType: 'import' as const, aggregateId: id };
    await this.events.append(tx, { ...subject, sequence: details.sequence, type, actorId, data });
  }
}
