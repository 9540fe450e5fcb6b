// SQL by hand: each combination of filters has a statement of its own, not prepared; sending is in sending-statements.ts
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import type { AuditEvent } from '../../../domain/events/events.store.js';
import type { Accepted, FailedWith } from '../../../domain/notifications/channels.js';
import {
  NotificationsStore,
  type Abandoned,
  type ClaimedNotification,
  type ClaimResult,
  type Delivery,
  type DeliveryFilter,
  type DeliveryReport,
  type NewNotification,
  type NotificationChannel,
  type NotificationState,
  type Postponed,
  type Replayable,
} from '../../../domain/notifications/notifications.store.js';
import type { Marked } from '../../../domain/outbox/delivery.js';
import { SealBroken } from '../../../domain/secrets/envelope.js';
import { Sealer, type SealedPlace } from '../../../domain/secrets/sealer.js';
import type { NotificationId, OrgId, ProviderId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { LaggingReads } from '../lagging-reads.js';
import { comesAfter, microsecondsOf } from '../microseconds.js';
import { busyFor } from '../outbox/delivery-lease.js';
import { countedPageFrom, countUpToMost, cursorOf, shownOf, type ViewRow } from '../page-of-rows.js';
import { Query } from '../query.js';
import { withinTime } from '../search-time-limit.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { Table } from '../table.js';
import { NotificationEntity } from '../tables/notification.entity.js';
import { UserHumanEntity } from '../tables/user.entity.js';
import { GroupCommit } from '../throughput/group-commit.js';
import {
  conditionsOf,
  DELIVERY_COLUMNS,
  DELIVERY_JOINS,
  FIND_DELIVERY,
  LOCK_FOR_REPLAY,
  REPORT,
  toDelivery,
  type DeliveryRow,
} from './delivery-statements.js';
import {
  ABANDONED,
  ADD,
  ADDED,
  CLAIM,
  claimValues,
  COUNT_DEAD,
  GIVE_BACK,
  HAND_OVER,
  handOverValues,
  POSTPONE,
  POSTPONED,
  SENT,
  sentValues,
  unclaimedNotification,
  type ClaimedRow,
  type ClaimQuestion,
  type UnclaimedRow,
} from './sending-statements.js';

/** As after `add`. A mail that may have arrived already is handed over once more at most. */
const REQUEUED = {
  state: 'pending',
  deadLetter: false,
  attempts: 0,
  failures: 0,
  handOvers: () => 'least(hand_overs, 1)',
  ambiguous: false,
  lastError: null,
  lastFailure: null,
  finishedAt: null,
  reported: null,
  providerMessageId: null,
  nextAttemptAt: null,
  fence: () => 'fence + 1',
  changedAt: () => 'app_now()',
};

const ENDED: ReadonlySet<NotificationState> = new Set(['sent', 'delivered', 'failed', 'abandoned']);

/** Where the content of a message is sealed for. */
export function notificationPlace(id: string): SealedPlace {
  return { purpose: 'notification-content', table: 'notifications', column: 'content_sealed', rowId: id };
}

@Injectable()
export class PgNotificationsStore extends NotificationsStore {
  private readonly claims = new GroupCommit<ClaimQuestion, ClaimedRow | null>({
    together: async (questions) => {
      const rows = await this.sql.rows<ClaimedRow>(CLAIM, claimValues(questions));
      // if several ask for the same message, the first gets it
      return questions.map(({ id }) => {
        const index = rows.findIndex((row) => row.id === id);
        return index < 0 ? undefined : rows.splice(index, 1)[0];
      });
    },
    // a locked row is being processed by another worker
    alone: () => Promise.resolve(null),
  });

  private readonly handOvers = this.ofClaims(HAND_OVER, handOverValues);
  private readonly sent = this.ofClaims(SENT, sentValues);

  private readonly rows: Table<NotificationEntity>;
  private readonly humans: Table<UserHumanEntity>;
  private readonly unclaimed: Query<UnclaimedRow, { readonly id: NotificationId }>;

  constructor(
    private readonly sql: Sql,
    private readonly reads: LaggingReads,
    private readonly sealer: Sealer,
  ) {
    super();
    this.rows = new Table(sql, NotificationEntity);
    this.humans = new Table(sql, UserHumanEntity);
    this.unclaimed = new Query(sql, 'notifications-why-not-claimed', unclaimedNotification);
  }

  override async add(tx: Tx, notification: NewNotification): Promise<void> {
    const { id, code } = notification;
    const content = code === null ? undefined : this.sealer.seal(notificationPlace(id), Buffer.from(code));
    const row = { ...notification, contentSealed: content?.sealed, dataKeyId: content?.dataKeyId };
    await this.sql.change(ADD, ADDED.valuesOf(row), tx);
  }

  override async claim(
    id: NotificationId,
    channels: readonly NotificationChannel[],
    holdMs: number,
  ): Promise<ClaimResult> {
    const row = await this.claims.ask({ id, channels, holdMs });
    if (row === null) return await this.whyNotClaimed(id, channels);
    return { kind: 'claimed', notification: await this.toClaimed(row) };
  }

  override async markHandedOver(
    claim: ClaimedNotification,
    providerId: ProviderId,
    handOvers: number,
    holdMs: number,
  ): Promise<boolean> {
    return await this.handOvers.ask({ claim, providerId, handOvers, holdMs });
  }

  override async finishSent(
    claim: ClaimedNotification,
    accepted: Accepted,
    event: AuditEvent,
  ): Promise<boolean> {
    return await this.sent.ask({ claim, accepted, event });
  }

  override async markAbandoned(tx: Tx, claim: ClaimedNotification, end: Abandoned): Promise<Marked> {
    const values = [claim.id, claim.fence, end.reason, end.deadLetter, end.ambiguous, end.with ?? null];
    const row = await this.sql.row<{ reported: string | null }>(ABANDONED, values, tx);
    if (row === undefined) return 'lost';
    return row.reported === 'delivered' ? 'taken' : 'abandoned';
  }

  override async postpone(
    tx: Tx,
    claim: ClaimedNotification,
    { reason, with: failedWith, handOvers, failures, delayMs }: Postponed,
  ): Promise<number | undefined> {
    const row = { handOvers, lastError: reason, failures, lastFailure: failedWith };
    const values = [claim.id, claim.fence, delayMs, ...POSTPONED.valuesOf(row)];
    return (await this.sql.row<{ delay_ms: number }>(POSTPONE, values, tx))?.delay_ms;
  }

  override async giveBack(
    claim: ClaimedNotification,
    reason: string | undefined,
    failedWith?: FailedWith,
  ): Promise<void> {
    const values = [claim.id, claim.fence, reason ?? null, claim.handOvers, failedWith ?? null];
    await this.sql.change(GIVE_BACK, values);
  }

  override async countDead(): Promise<number> {
    return (await this.sql.row<{ count: number }>(COUNT_DEAD, []))?.count ?? 0;
  }

  override async search(filter: DeliveryFilter, page: PageQuery): Promise<Page<Delivery>> {
    const { where, values } = conditionsOf(filter);
    const direction = page.ascending ? 'ASC' : 'DESC';
    const paged = [...values];
    const parameter = (value: unknown): string => `$${paged.push(value)}`;
    const after = comesAfter(page, { alias: 'n', parameter });
    const [from, most] = [parameter(page.offset), parameter(page.limit + 1)];
    const found = `
      SELECT ${DELIVERY_COLUMNS}, ${microsecondsOf('n.created_at')} AS list_key
      FROM (SELECT n.id FROM notifications n WHERE ${where} AND ${after}
            ORDER BY n.created_at ${direction}, n.id ${direction} OFFSET ${from} LIMIT ${most}) page
      JOIN notifications n ON n.id = page.id ${DELIVERY_JOINS} ORDER BY n.created_at ${direction}, n.id ${direction}`;
    const count = countUpToMost(`FROM notifications n WHERE ${where}`);
    return await withinTime(this.reads, async (tx) => {
      const rows = await this.reads.rows<DeliveryRow & { list_key: string }>(
        { name: '', text: found },
        paged,
        tx,
      );
      const view = await this.reads.row<ViewRow>({ name: '', text: count }, values, tx);
      const { shown, ...next } = shownOf(rows, page, cursorOf);
      return { ...countedPageFrom(shown.map(toDelivery), view), ...next };
    });
  }

  override async find(id: NotificationId, orgId: OrgId | undefined): Promise<Delivery | undefined> {
    const row = await this.sql.row<DeliveryRow>(FIND_DELIVERY, [id, orgId ?? null]);
    return row === undefined ? undefined : toDelivery(row);
  }

  override async listDeadLetters(filter: DeliveryFilter, limit: number): Promise<readonly NotificationId[]> {
    const { where, values } = conditionsOf({ ...filter, deadLetter: true });
    const text = `
      SELECT n.id FROM notifications n
      WHERE ${where} AND (n.expires_at IS NULL OR n.expires_at > (SELECT app_now()))
      ORDER BY n.finished_at, n.id LIMIT $${values.length + 1}`;
    const rows = await withinTime(this.sql, (tx) =>
      this.sql.rows<{ id: NotificationId }>({ name: '', text }, [...values, limit], tx),
    );
    return rows.map(({ id }) => id);
  }

  override async lock(
    tx: Tx,
    ids: readonly NotificationId[],
    orgId: OrgId | undefined,
  ): Promise<readonly Replayable[]> {
    return await this.sql.rows<Pick<Replayable, keyof Replayable>>(LOCK_FOR_REPLAY, [ids, orgId ?? null], tx);
  }

  override async requeue(tx: Tx, id: NotificationId, outboxId: string): Promise<string> {
    const [row] = await this.rows.change(tx, { id }, { ...REQUEUED, outboxId });
    if (row === undefined) throw new Error('a row that is locked is gone');
    return row.fence;
  }

  override async findVerifiedAddress(userId: UserId) {
    const human = await this.humans.find({ userId, emailVerified: true });
    return human === undefined ? undefined : { orgId: human.orgId, address: human.email };
  }

  override async providerOf(id: NotificationId): Promise<string | undefined> {
    return (await this.rows.find({ id }))?.providerId ?? undefined;
  }

  override async report(
    tx: Tx,
    { id, providerId, providerMessageId, outcome, reason }: DeliveryReport,
  ): Promise<{ orgId: OrgId; userId: string | null; sequence: string } | undefined> {
    // waits for a worker that is writing down that it was sent: neither of the two below would see it
    await this.rows.find({ id, providerId }, tx, 'lock');
    const values = [id, providerId, providerMessageId, outcome, reason];
    const row = await this.sql.row<{ org_id: OrgId; user_id: string | null; fence: string }>(
      REPORT,
      values,
      tx,
    );
    if (row !== undefined) return { orgId: row.org_id, userId: row.user_id, sequence: row.fence };
    const notDelivered = Raw((column) => `${column} IS DISTINCT FROM 'delivered'`);
    await this.rows.changeAll(
      tx,
      { id, providerId, state: 'sending', reported: notDelivered },
      { reported: outcome },
    );
    return undefined;
  }

  /** Changes under a claim; true if the claim was still held. */
  private ofClaims<Question extends { readonly claim: ClaimedNotification }>(
    { one, free }: { readonly one: Statement; readonly free: Statement },
    valuesOf: (questions: readonly Question[]) => unknown[],
  ): GroupCommit<Question, boolean> {
    return new GroupCommit<Question, boolean>({
      together: async (questions) => {
        const rows = await this.sql.rows<{ id: string }>(free, valuesOf(questions));
        const done = new Set(rows.map(({ id }) => id));
        return questions.map(({ claim }) => done.has(claim.id) || undefined);
      },
      alone: async (question) => (await this.sql.row(one, valuesOf([question]))) !== undefined,
    });
  }

  private async whyNotClaimed(
    id: NotificationId,
    channels: readonly NotificationChannel[],
  ): Promise<ClaimResult> {
    const row = await this.unclaimed.row({ id });
    if (row === undefined || ENDED.has(row.state)) return { kind: 'finished' };
    const { channel, expired } = row;
    if (!row.known) return { kind: 'unknown-template' };
    if (!channels.includes(channel)) {
      return { kind: 'no-channel', channel, expired, expiresInMs: row.expiresInMs };
    }
    return busyFor(row.dueInMs);
  }

  private async toClaimed(row: ClaimedRow): Promise<ClaimedNotification> {
    const { codeId, expiresAt, contentSealed, dataKeyId, branding, ...claimed } = row;
    return {
      ...claimed,
      codeId: codeId ?? '',
      code: await this.openCode(row.id, contentSealed, dataKeyId),
      expiresAt: expiresAt ?? new Date(0),
      organization: branding,
    };
  }

  /** An unreadable row is given up by the caller; an exception here would have it claimed again for ever. */
  private async openCode(
    id: NotificationId,
    sealed: Buffer | null,
    dataKeyId: number | null,
  ): Promise<string | undefined> {
    if (sealed === null || dataKeyId === null) return undefined;
    try {
      return (await this.sealer.open(notificationPlace(id), { dataKeyId, sealed })).toString();
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  }
}
