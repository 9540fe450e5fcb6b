import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { OrgId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';

/** So long before a secret or a certificate that others gave expires, somebody is warned. */
export const EXPIRY_WARNING_DAYS = 30;
const AT_ONCE = 100;

export interface Expiring {
  readonly id: string;
  readonly orgId: OrgId | null;
  readonly expiresAt: Date;
  readonly sequence: string;
}

/** Where what expires is kept: providers, old systems. */
export interface ExpiringRows {
  /**
   * Marks up to `limit` of those in use whose secret or certificates expire within so many days, each once for each date.
   *
   * @returns those that were not marked before
   */
  markExpiring(tx: Tx, withinDays: number, limit: number): Promise<readonly Expiring[]>;

  /** How many of those in use expire within so many days, or have. */
  countExpiring(withinDays: number): Promise<number>;
}

const SAID = {
  identity_provider: 'a secret or certificate of an identity provider expires soon',
  user_migration: 'a secret or certificate of an old system expires soon',
} as const;

/** An event and a line in the log for each date, once: the mark and the event are of one transaction. */
@Injectable()
export class WarnOfExpiry {
  constructor(
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  async run(aggregateType: keyof typeof SAID, rows: ExpiringRows): Promise<number> {
    const expiring = await this.unitOfWork.run(async (tx) => {
      const marked = await rows.markExpiring(tx, EXPIRY_WARNING_DAYS, AT_ONCE);
      for (const { id, orgId, sequence, expiresAt } of marked) {
        await this.events.append(tx, {
          orgId,
          aggregateType,
          aggregateId: id,
          sequence,
          type: `${aggregateType}.expiring`,
          actorId: null,
          data: { expirationDate: expiresAt.toISOString() },
        });
      }
      return marked;
    });
    for (const { id, expiresAt } of expiring) {
      this.log.warn(SAID[aggregateType], { id, expiresAt: expiresAt.toISOString() });
    }
    return expiring.length;
  }
}
