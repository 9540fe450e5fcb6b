import { Injectable } from '@nestjs/common';
import type { FailedWith } from '../../../domain/notifications/channels.js';
import {
  DeliveriesStore,
  type DeliveryReport,
  type Replayable,
} from '../../../domain/notifications/ledger/deliveries.store.js';
import {
  maskTarget,
  type Delivery,
  type DeliveryFilter,
} from '../../../domain/notifications/ledger/delivery.js';
import type { NotificationTemplate } from '../../../domain/notifications/notification-template.js';
import type {
  NotificationChannel,
  NotificationState,
} from '../../../domain/notifications/notifications.store.js';
import type { NotificationId, OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import { pageFrom, VIEW_COLUMNS, type ViewRow } from '../view-row.js';
import { withinTime } from '../within-time.js';

// no column tells the address that was told of its change, or of the accounts that have it
const COLUMNS = `n.id, n.org_id, n.user_id, n.channel, n.template, n.state, n.attempts, n.last_error, n.last_failure, n.next_attempt_at,
  n.provider_id, n.provider_message_id, n.ambiguous, n.dead_letter, n.expires_at, n.finished_at, n.delivered_at,
  n.fence, n.created_at, n.changed_at,
  CASE WHEN n.template IN ('email_changed', 'reset_choice') THEN NULL WHEN n.channel = 'sms' THEN coalesce(v.target, h.phone)
       ELSE coalesce(v.target, h.email, r.email) END AS target`;
const JOINS = `LEFT JOIN user_humans h ON h.user_id = n.user_id
  LEFT JOIN registrations r ON r.id = n.registration_id
  LEFT JOIN verification_codes v ON v.id = n.code_id`;

const FIND = {
  name: 'deliveries-find',
  text: `SELECT ${COLUMNS} FROM notifications n ${JOINS} WHERE n.id = $1 AND ($2::text IS NULL OR n.org_id = $2)`,
};

const LOCK = {
  name: 'deliveries-lock',
  text: `
    SELECT n.id, n.org_id, n.channel, n.template, n.state, n.dead_letter, n.ambiguous,
      n.content_sealed IS NOT NULL OR n.template IN ('password_changed', 'account_exists')
        OR v.provider_id IS NOT NULL AS has_content,
      coalesce(n.expires_at <= app_now(), false) AS expired,
      coalesce(u.state IN ('initial', 'active'), true) AND o.state = 'active' AS user_active,
      CASE WHEN n.code_id IS NULL THEN false
           WHEN n.template = 'register' THEN r.ended_at IS NOT NULL OR r.code_id IS DISTINCT FROM n.code_id
           ELSE v.id IS NULL OR v.ended_at IS NOT NULL END AS code_ended
    FROM notifications n
    JOIN organizations o ON o.id = n.org_id
    LEFT JOIN users u ON u.org_id = n.org_id AND u.id = n.user_id
    LEFT JOIN registrations r ON r.id = n.registration_id
    LEFT JOIN verification_codes v ON v.id = n.code_id
    WHERE n.id = ANY ($1) AND ($2::text IS NULL OR n.org_id = $2)
    ORDER BY n.id FOR UPDATE OF n`,
};

// of a mail that may have arrived already, one more is all there will be
const REQUEUE = {
  name: 'deliveries-requeue',
  text: `
    UPDATE notifications SET state = 'pending', dead_letter = false, attempts = 0, failures = 0,
      hand_overs = least(hand_overs, 1), ambiguous = false, last_error = NULL, last_failure = NULL,
      finished_at = NULL, reported = NULL,
      provider_message_id = NULL, next_attempt_at = NULL, outbox_id = $2, fence = fence + 1, changed_at = app_now()
    WHERE id = $1 RETURNING fence`,
};

const PROVIDER_OF = {
  name: 'deliveries-provider-of',
  text: `SELECT provider_id FROM notifications WHERE id = $1 AND provider_id IS NOT NULL`,
};

// an SMS that was given up because nobody heard whether it went out: now somebody does
const REPORT = {
  name: 'deliveries-report',
  text: `
    UPDATE notifications SET state = $4, reported = $4, last_error = $5, last_failure = NULL, fence = fence + 1, changed_at = app_now(),
      provider_message_id = $3, delivered_at = CASE WHEN $4 = 'delivered' THEN app_now() END,
      ambiguous = false, dead_letter = $4 = 'failed', content_sealed = NULL, data_key_id = NULL
    WHERE id = $1 AND provider_id = $2 AND coalesce(provider_message_id = $3, true)
      AND (state = 'sent' OR (state = 'failed' AND $4 = 'delivered') OR (state = 'abandoned' AND ambiguous))
    RETURNING org_id, user_id, fence`,
};

const KEEP_REPORT = {
  name: 'deliveries-keep-report',
  text: `
    UPDATE notifications SET reported = $3 WHERE id = $1 AND provider_id = $2 AND state = 'sending'
      AND reported IS DISTINCT FROM 'delivered'`,
};

type DeliveryRow = {
  id: NotificationId;
  org_id: OrgId;
  user_id: UserId | null;
  channel: NotificationChannel;
  template: NotificationTemplate;
  state: NotificationState;
  attempts: number;
  last_error: string | null;
  last_failure: FailedWith | null;
  next_attempt_at: Date | null;
  provider_id: string | null;
  provider_message_id: string | null;
  ambiguous: boolean;
  dead_letter: boolean;
  expires_at: Date | null;
  finished_at: Date | null;
  delivered_at: Date | null;
  fence: string;
  created_at: Date;
  changed_at: Date;
  target: string | null;
};

type ReplayableRow = {
  id: NotificationId;
  org_id: OrgId;
  channel: NotificationChannel;
  template: NotificationTemplate;
  state: NotificationState;
  dead_letter: boolean;
  ambiguous: boolean;
  has_content: boolean;
  expired: boolean;
  code_ended: boolean;
  user_active: boolean;
};

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    orgId: row.org_id,
    userId: row.user_id,
    channel: row.channel,
    template: row.template,
    state: row.state,
    target: row.target === null ? undefined : maskTarget(row.target),
    attempts: row.attempts,
    reason: row.last_error,
    failedWith: row.last_failure,
    nextAttemptAt: row.next_attempt_at,
    providerId: row.provider_id,
    providerMessageId: row.provider_message_id,
    ambiguous: row.ambiguous,
    deadLetter: row.dead_letter,
    expiresAt: row.expires_at,
    finishedAt: row.finished_at,
    deliveredAt: row.delivered_at,
    details: {
      sequence: row.fence,
      createdAt: row.created_at,
      changedAt: row.changed_at,
      resourceOwner: row.org_id,
    },
  };
}

function toReplayable(row: ReplayableRow): Replayable {
  return {
    id: row.id,
    orgId: row.org_id,
    channel: row.channel,
    template: row.template,
    state: row.state,
    deadLetter: row.dead_letter,
    ambiguous: row.ambiguous,
    hasContent: row.has_content,
    expired: row.expired,
    codeEnded: row.code_ended,
    userActive: row.user_active,
  };
}

/** A filter as SQL, with the values it refers to. */
function conditionsOf(filter: DeliveryFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const texts: string[] = [];
  const add = (value: unknown, text: (parameter: string) => string): void => {
    if (value === undefined) return;
    values.push(value);
    texts.push(text(`$${values.length}`));
  };
  add(filter.orgId, (p) => `n.org_id = ${p}`);
  add(filter.userId, (p) => `n.user_id = ${p}`);
  add(filter.states, (p) => `n.state = ANY (${p})`);
  add(filter.channel, (p) => `n.channel = ${p}`);
  add(filter.template, (p) => `n.template = ${p}`);
  add(filter.providerId, (p) => `n.provider_id = ${p}`);
  add(filter.reason, (p) => `n.last_error = ${p}`);
  add(filter.createdFrom, (p) => `n.created_at >= ${p}`);
  add(filter.createdBefore, (p) => `n.created_at < ${p}`);
  if (filter.deadLetter !== undefined) texts.push(filter.deadLetter ? 'n.dead_letter' : 'NOT n.dead_letter');
  return { where: texts.length === 0 ? 'true' : texts.join(' AND '), values };
}

@Injectable()
export class PgDeliveriesStore extends DeliveriesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async search(filter: DeliveryFilter, page: PageQuery): Promise<Page<Delivery>> {
    const { where, values } = conditionsOf(filter);
    const direction = page.ascending ? 'ASC' : 'DESC';
    const [from, most] = [`$${values.length + 1}`, `$${values.length + 2}`];
    const found = `
      SELECT ${COLUMNS}
      FROM (SELECT n.id FROM notifications n WHERE ${where}
            ORDER BY n.created_at ${direction}, n.id ${direction} OFFSET ${from} LIMIT ${most}) page
      JOIN notifications n ON n.id = page.id ${JOINS} ORDER BY n.created_at ${direction}, n.id ${direction}`;
    const count = `SELECT count(*)::integer AS total, ${VIEW_COLUMNS} FROM notifications n WHERE ${where}`;
    return await withinTime(this.sql, async (tx) => {
      const paged = [...values, page.offset, page.limit];
      const rows = await this.sql.rows<DeliveryRow>({ name: '', text: found }, paged, tx);
      const view = await this.sql.row<ViewRow>({ name: '', text: count }, values, tx);
      return pageFrom(rows.map(toDelivery), view);
    });
  }

  override async find(id: NotificationId, orgId: OrgId | undefined): Promise<Delivery | undefined> {
    const row = await this.sql.row<DeliveryRow>(FIND, [id, orgId ?? null]);
    return row === undefined ? undefined : toDelivery(row);
  }

  override async deadLetters(filter: DeliveryFilter, limit: number): Promise<readonly NotificationId[]> {
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
    return (await this.sql.rows<ReplayableRow>(LOCK, [ids, orgId ?? null], tx)).map(toReplayable);
  }

  override async requeue(tx: Tx, id: NotificationId, outboxId: string): Promise<string> {
    const row = await this.sql.row<{ fence: string }>(REQUEUE, [id, outboxId], tx);
    if (row === undefined) throw new Error('a row that is locked is gone');
    return row.fence;
  }

  override async providerOf(id: NotificationId): Promise<string | undefined> {
    return (await this.sql.row<{ provider_id: string }>(PROVIDER_OF, [id]))?.provider_id;
  }

  override async report(
    tx: Tx,
    { id, providerId, providerMessageId, outcome, reason }: DeliveryReport,
  ): Promise<{ orgId: OrgId; userId: string | null; sequence: string } | undefined> {
    const values = [id, providerId, providerMessageId, outcome, reason];
    const row = await this.sql.row<{ org_id: OrgId; user_id: string | null; fence: string }>(
      REPORT,
      values,
      tx,
    );
    if (row !== undefined) return { orgId: row.org_id, userId: row.user_id, sequence: row.fence };
    await this.sql.change(KEEP_REPORT, [id, providerId, outcome], tx);
    return undefined;
  }
}
