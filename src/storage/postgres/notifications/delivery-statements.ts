// SQL by hand: a line of the ledger is told with whom it is for, and a report changes it on condition
import type { FailedWith } from '../../../domain/notifications/channels.js';
import { maskTarget } from '../../../domain/notifications/ledger/delivery.js';
import type { NotificationTemplate } from '../../../domain/notifications/notification-template.js';
import type {
  Delivery,
  DeliveryFilter,
  NotificationChannel,
  NotificationState,
  Replayable,
} from '../../../domain/notifications/notifications.store.js';
import type { NotificationId, OrgId, UserId } from '../../../domain/shared/ids.js';

// no column tells the address that was told of its change, or of the accounts that have it
export const DELIVERY_COLUMNS = `n.id, n.org_id, n.user_id, n.channel, n.template, n.state, n.attempts, n.last_error, n.last_failure, n.next_attempt_at,
  n.provider_id, n.provider_message_id, n.ambiguous, n.dead_letter, n.expires_at, n.finished_at, n.delivered_at,
  n.fence, n.created_at, n.changed_at,
  CASE WHEN n.template IN ('email_changed', 'reset_choice') THEN NULL WHEN n.channel = 'sms' THEN coalesce(v.target, h.phone)
       ELSE coalesce(v.target, h.email, r.email) END AS target`;
export const DELIVERY_JOINS = `LEFT JOIN user_humans h ON h.user_id = n.user_id
  LEFT JOIN registrations r ON r.id = n.registration_id
  LEFT JOIN verification_codes v ON v.id = n.code_id`;

export const FIND_DELIVERY = {
  name: 'deliveries-find',
  text: `SELECT ${DELIVERY_COLUMNS} FROM notifications n ${DELIVERY_JOINS} WHERE n.id = $1 AND ($2::text IS NULL OR n.org_id = $2)`,
};

export const LOCK_FOR_REPLAY = {
  name: 'deliveries-lock',
  text: `
    SELECT n.id, n.org_id, n.channel, n.template, n.state, n.dead_letter, n.ambiguous,
      n.content_sealed IS NOT NULL OR n.template IN ('password_changed', 'account_exists', 'passkey_added', 'passkey_removed',
        'factor_added', 'factor_removed', 'recovery_codes_made', 'recovery_code_used', 'factors_reset', 'phone_changed')
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
export const REQUEUE = {
  name: 'deliveries-requeue',
  text: `
    UPDATE notifications SET state = 'pending', dead_letter = false, attempts = 0, failures = 0,
      hand_overs = least(hand_overs, 1), ambiguous = false, last_error = NULL, last_failure = NULL,
      finished_at = NULL, reported = NULL,
      provider_message_id = NULL, next_attempt_at = NULL, outbox_id = $2, fence = fence + 1, changed_at = app_now()
    WHERE id = $1 RETURNING fence`,
};

export const PROVIDER_OF = {
  name: 'deliveries-provider-of',
  text: `SELECT provider_id FROM notifications WHERE id = $1 AND provider_id IS NOT NULL`,
};

// an SMS that was given up because nobody heard whether it went out: now somebody does
export const REPORT = {
  name: 'deliveries-report',
  text: `
    UPDATE notifications SET state = $4, reported = $4, last_error = $5, last_failure = NULL, fence = fence + 1, changed_at = app_now(),
      provider_message_id = $3, delivered_at = CASE WHEN $4 = 'delivered' THEN app_now() END,
      ambiguous = false, dead_letter = $4 = 'failed', content_sealed = NULL, data_key_id = NULL
    WHERE id = $1 AND provider_id = $2 AND coalesce(provider_message_id = $3, true)
      AND (state = 'sent' OR (state = 'failed' AND $4 = 'delivered') OR (state = 'abandoned' AND ambiguous))
    RETURNING org_id, user_id, fence`,
};

export const KEEP_REPORT = {
  name: 'deliveries-keep-report',
  text: `
    UPDATE notifications SET reported = $3 WHERE id = $1 AND provider_id = $2 AND state = 'sending'
      AND reported IS DISTINCT FROM 'delivered'`,
};

export type DeliveryRow = {
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

export type ReplayableRow = {
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

export function toDelivery(row: DeliveryRow): Delivery {
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

export function toReplayable(row: ReplayableRow): Replayable {
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
export function conditionsOf(filter: DeliveryFilter): { where: string; values: unknown[] } {
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
