import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { OutboxStore } from '../../outbox/outbox.store.js';
import { ApiError } from '../../shared/errors.js';
import type { NotificationId, OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { LANES, SEND_NOTIFICATION } from '../enqueue-notification.js';
import { NotificationsStore, type Replayable } from '../notifications.store.js';
import { deliveryNotFound } from './delivery.js';

/** Why a message is not sent once more. */
export type ReplayRefusal =
  | 'not_found'
  | 'not_a_dead_letter'
  | 'user_inactive'
  | 'code_ended'
  | 'code_expired'
  | 'content_erased'
  /** The recipient may have the SMS: a second one is for them to ask for. */
  | 'outcome_unknown';

const SENTENCES: Readonly<Record<Exclude<ReplayRefusal, 'not_found'>, string>> = {
  not_a_dead_letter: 'The notification is not a dead letter',
  user_inactive: 'The user or the organization is not active',
  code_ended: 'The code was used or replaced: a new one must be asked for',
  code_expired: 'The code has expired: a new one must be asked for',
  content_erased: 'The content is erased: a new message must be asked for',
  outcome_unknown: 'The SMS may have arrived: a new one must be asked for',
};

export interface Replay {
  /** Undefined for any organization. */
  readonly orgId: OrgId | undefined;
  readonly actorId: UserId;
}

export interface ReplayResult {
  readonly replayed: readonly NotificationId[];
  readonly refused: readonly { readonly id: NotificationId; readonly reason: ReplayRefusal }[];
}

/**
 * Enqueues dead letters once more, each from its first attempt. Only while what they say is true: the code that was
 * made then goes out again, and there is no other way to make it valid longer.
 */
@Injectable()
export class ReplayDeadLetters {
  constructor(
    private readonly notifications: NotificationsStore,
    private readonly outbox: OutboxStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found, or failed-precondition that says why not */
  async one(tx: Tx, id: NotificationId, replay: Replay): Promise<void> {
    const { refused } = await this.many(tx, [id], replay);
    const [refusal] = refused;
    if (refusal === undefined) return;
    if (refusal.reason === 'not_found') throw deliveryNotFound();
    throw new ApiError('failed-precondition', SENTENCES[refusal.reason], 'COMMAND-rP5y2');
  }

  async many(tx: Tx, ids: readonly NotificationId[], replay: Replay): Promise<ReplayResult> {
    const found = new Map((await this.notifications.lock(tx, ids, replay.orgId)).map((row) => [row.id, row]));
    const replayed: NotificationId[] = [];
    const refused: { id: NotificationId; reason: ReplayRefusal }[] = [];
    for (const id of new Set(ids)) {
      const row = found.get(id);
      const reason = row === undefined ? 'not_found' : refusalOf(row);
      if (row === undefined || reason !== undefined) {
        refused.push({ id, reason: reason ?? 'not_found' });
        continue;
      }
      await this.enqueue(tx, row, replay);
      replayed.push(id);
    }
    return { replayed, refused };
  }

  private async enqueue(tx: Tx, row: Replayable, { actorId }: Replay): Promise<void> {
    const outboxId = await this.outbox.add(tx, {
      queue: 'notifications',
      jobName: SEND_NOTIFICATION,
      payload: { notificationId: row.id },
      lane: LANES[row.template],
    });
    const sequence = await this.notifications.requeue(tx, row.id, outboxId);
    await this.events.append(tx, {
      orgId: row.orgId,
      aggregateType: 'notification',
      aggregateId: row.id,
      sequence,
      type: 'notification.replayed',
      actorId,
      data: { channel: row.channel, template: row.template },
    });
  }
}

function refusalOf(row: Replayable): ReplayRefusal | undefined {
  if (!row.deadLetter) return 'not_a_dead_letter';
  if (!row.userActive) return 'user_inactive';
  if (row.codeEnded) return 'code_ended';
  if (row.expired) return 'code_expired';
  if (!row.hasContent) return 'content_erased';
  if (row.channel === 'sms' && row.ambiguous) return 'outcome_unknown';
  return undefined;
}
