import { Injectable } from '@nestjs/common';
import { ApiError } from '../../shared/errors.js';
import type { NotificationId, OrgId } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { NotificationsStore, type Delivery, type DeliveryFilter } from '../notifications.store.js';
import { deliveryNotFound } from './delivery.js';
import { ReplayDeadLetters, type Replay, type ReplayResult } from './replay-dead-letters.js';

export interface AskedReplays {
  readonly ids: readonly NotificationId[] | undefined;
  readonly filter: DeliveryFilter;
  /** Meant, where there is neither id nor condition. */
  readonly all: boolean;
  readonly limit: number;
}

/** The ledger of messages: of one organization, or of the instance where none is named. */
@Injectable()
export class Ledger {
  constructor(
    private readonly notifications: NotificationsStore,
    private readonly replays: ReplayDeadLetters,
  ) {}

  async search(filter: DeliveryFilter, page: PageQuery): Promise<Page<Delivery>> {
    return await this.notifications.search(filter, page);
  }

  /** @throws ApiError not-found */
  async find(id: NotificationId, orgId: OrgId | undefined): Promise<Delivery> {
    const delivery = await this.notifications.find(id, orgId);
    if (delivery === undefined) throw deliveryNotFound();
    return delivery;
  }

  /** @throws ApiError not-found, failed-precondition */
  async replay(tx: Tx, id: NotificationId, replay: Replay): Promise<void> {
    await this.replays.one(tx, id, replay);
  }

  /** Which ones, before the transaction. @throws ApiError invalid-argument when it is not said which */
  async choose({ ids, filter, all, limit }: AskedReplays): Promise<readonly NotificationId[]> {
    const conditions = Object.entries(filter).filter(
      ([name, value]) => name !== 'orgId' && value !== undefined,
    );
    if (ids !== undefined && (conditions.length > 0 || all)) {
      throw new ApiError('invalid-argument', 'ids and conditions exclude each other');
    }
    if (ids !== undefined) return ids;
    if (conditions.length === 0 && !all) {
      throw new ApiError('invalid-argument', 'ids, a condition or all is required');
    }
    return await this.notifications.listDeadLetters(filter, limit);
  }

  async replayMany(tx: Tx, ids: readonly NotificationId[], replay: Replay): Promise<ReplayResult> {
    return await this.replays.many(tx, ids, replay);
  }
}
