// SQL by hand: a message is read with its recipient, and a delivery report changes it by one conditional UPDATE
import type { FailedWith } from '../../../domain/notifications/channels.js';
import { maskTarget } from '../../../domain/notifications/ledger/delivery.js';
import { PLAIN_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import type { Delivery, DeliveryFilter } from '../../../domain/notifications/notifications.store.js';
import { canonicalName } from '../../../domain/users/names/canonical-name.js';
import { USABLE_STATES } from '../../../domain/users/user.js';
import { oneOf } from '../one-of.js';
import { columns, pick } from '../table.js';
import { NotificationEntity } from '../tables/notification.entity.js';

const SHOWN = [
  'id',
  'orgId',
  'userId',
  'channel',
  'template',
  'state',
  'attempts',
  'nextAttemptAt',
  'providerId',
  'providerMessageId',
  'ambiguous',
  'deadLetter',
  'expiresAt',
  'finishedAt',
  'deliveredAt',
] as const satisfies readonly (keyof Delivery)[];

// no column holds the notified address of these messages
export const DELIVERY_COLUMNS = `
  ${columns(NotificationEntity, 'n', [...SHOWN, 'lastError', 'lastFailure', 'fence', 'createdAt', 'changedAt'])},
  CASE WHEN n.template IN ('email_changed', 'reset_choice') THEN NULL WHEN n.channel = 'sms' THEN coalesce(v.target, h.phone)
       ELSE coalesce(v.target, h.email, r.email) END AS target, o.name AS "orgName"`;
export const DELIVERY_JOINS = `LEFT JOIN organizations o ON o.id = n.org_id
  LEFT JOIN user_humans h ON h.user_id = n.user_id
  LEFT JOIN registrations r ON r.id = n.registration_id
  LEFT JOIN verification_codes v ON v.id = n.code_id`;

export const FIND_DELIVERY = {
  name: 'deliveries-find',
  text: `SELECT ${DELIVERY_COLUMNS} FROM notifications n ${DELIVERY_JOINS} WHERE n.id = $1 AND ($2::text IS NULL OR n.org_id = $2)`,
};

export const LOCK_FOR_REPLAY = {
  name: 'deliveries-lock',
  text: `
    SELECT ${columns(NotificationEntity, 'n', ['id', 'orgId', 'channel', 'template', 'state', 'deadLetter', 'ambiguous'])},
      n.content_sealed IS NOT NULL OR n.template ${oneOf(PLAIN_TEMPLATES)}
        OR v.provider_id IS NOT NULL AS "hasContent",
      coalesce(n.expires_at <= app_now(), false) AS expired,
      coalesce(u.state ${oneOf(USABLE_STATES)}, true) AND o.state = 'active' AS "userActive",
      CASE WHEN n.code_id IS NULL THEN false
           WHEN n.template = 'register' THEN r.ended_at IS NOT NULL OR r.code_id IS DISTINCT FROM n.code_id
           ELSE v.id IS NULL OR v.ended_at IS NOT NULL END AS "codeEnded"
    FROM notifications n
    JOIN organizations o ON o.id = n.org_id
    LEFT JOIN users u ON u.org_id = n.org_id AND u.id = n.user_id
    LEFT JOIN registrations r ON r.id = n.registration_id
    LEFT JOIN verification_codes v ON v.id = n.code_id
    WHERE n.id = ANY ($1) AND ($2::text IS NULL OR n.org_id = $2)
    ORDER BY n.id FOR UPDATE OF n`,
};

// also for a message that was abandoned because its outcome was unknown (ambiguous): the report tells the outcome
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

export type DeliveryRow = Pick<Delivery, (typeof SHOWN)[number] | 'orgName'> & {
  lastError: string | null;
  lastFailure: FailedWith | null;
  fence: string;
  createdAt: Date;
  changedAt: Date;
  target: string | null;
};

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    ...pick(row, [...SHOWN, 'orgName']),
    target: row.target === null ? undefined : maskTarget(row.target),
    reason: row.lastError,
    failedWith: row.lastFailure,
    details: {
      sequence: row.fence,
      createdAt: row.createdAt,
      changedAt: row.changedAt,
      resourceOwner: row.orgId,
    },
  };
}

/**
 * Who has the address is looked up first, so that only their messages are read: an organization may have sent millions.
 *
 * @param first the parameter of the organization, before the address and its form of a registration
 */
function sentTo(first: number): string {
  const [org, address, canonical] = [first, first + 1, first + 2].map((n) => `$${n}::text`);
  return `(n.user_id = ANY (ARRAY(
      SELECT h.user_id FROM user_humans h WHERE h.org_id = ${org} AND lower(h.email) = ${address}
      UNION ALL SELECT h.user_id FROM user_humans h WHERE h.org_id = ${org} AND h.phone = ${address}))
    OR n.registration_id = ANY (ARRAY(
      SELECT r.id FROM registrations r WHERE r.email_canonical = ${canonical} AND r.org_id = ${org})))`;
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
  if (filter.recipient !== undefined) {
    values.push(filter.orgId ?? null, filter.recipient.toLowerCase(), canonicalName(filter.recipient));
    texts.push(sentTo(values.length - 2));
  }
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
