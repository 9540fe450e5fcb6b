// SQL by hand: messages are claimed and finished under fencing numbers, and one statement does so for many jobs (group-commit.ts)
import type { EntityManager } from 'typeorm';
import type { AuditEvent } from '../../../domain/events/events.store.js';
import type { Accepted } from '../../../domain/notifications/channels.js';
import {
  NOTICE_TEMPLATES,
  NOTIFICATION_TEMPLATES,
} from '../../../domain/notifications/notification-template.js';
import type {
  ClaimedNotification,
  NotificationChannel,
  NotificationState,
} from '../../../domain/notifications/notifications.store.js';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import type { NotificationId, ProviderId } from '../../../domain/shared/ids.js';
import { USABLE_STATES } from '../../../domain/users/user.js';
import { EVENT_COLUMNS, EVENT_RECORD, eventRecord } from '../events/events.store.js';
import { oneOf } from '../one-of.js';
import { acquireLease, leaseExpired, STILL_LEASED } from '../outbox/delivery-lease.js';
import { BRANDING_COLUMN, BRANDING_JOIN } from '../policies/branding-column.js';
import { selecting } from '../query.js';
import type { Statement } from '../statement.js';
import { columns } from '../table.js';
import { NotificationEntity } from '../tables/notification.entity.js';
import { loginName, primaryDomainJoin } from '../users/login-name.js';
import { written } from '../written.js';
import { OWN_TEXTS_COLUMN } from './own-texts-column.js';

export const ADDED = written(NotificationEntity, [
  'id',
  'orgId',
  'userId',
  'channel',
  'template',
  'codeId',
  'outboxId',
  'contentSealed',
  'dataKeyId',
  'expiresAt',
  'registrationId',
  'source',
]);
export const ADD = {
  name: 'notifications-add',
  text: `INSERT INTO notifications (${ADDED.columns}) VALUES (${ADDED.parameters})`,
};

/** SQL: during a rollout, newer processes enqueue templates that this version does not have; these are left to newer workers. */
const IS_KNOWN = `n.template ${oneOf(NOTIFICATION_TEMPLATES)}`;

/**
 * The rows of several questions, each found by its key. Joined with the list, they would be looked for in the whole of
 * a table that the planner believes to be small; for the same reason every list ends with a LIMIT, which makes it expect
 * a single row.
 */
function askedRows(columns: string, condition: string, lock: '' | 'SKIP LOCKED'): string {
  return `
    SELECT found.* FROM asked a CROSS JOIN LATERAL (
      SELECT ${columns} FROM notifications n WHERE n.id = a.id AND ${condition} FOR UPDATE ${lock}
    ) AS found`;
}

const CLAIMED = [
  'id',
  'fence',
  'attempts',
  'failures',
  'lastError',
  'handOvers',
  'outboxId',
  'channel',
  'template',
  'createdAt',
  'orgId',
  'userId',
  'registrationId',
] as const;

export const CLAIM = {
  name: 'notifications-claim',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::text[], $3::float8[]) AS a (id, channels, hold_ms) LIMIT $4
    ), free AS MATERIALIZED (${askedRows(
      'n.id, a.hold_ms',
      `n.channel = ANY (string_to_array(a.channels, ',')) AND ${IS_KNOWN}
        AND (n.state = 'pending' OR (n.state = 'retrying' AND coalesce(n.next_attempt_at <= app_now(), true))
             OR ${leaseExpired('n')})`,
      'SKIP LOCKED',
    )}
    ), claimed AS (
      UPDATE notifications n SET ${acquireLease('free.hold_ms')}, changed_at = app_now()
      FROM free WHERE n.id = free.id
      RETURNING n.*
    )
    SELECT ${columns(NotificationEntity, 'n', [...CLAIMED, 'codeId', 'expiresAt', 'contentSealed', 'dataKeyId'])},
      coalesce(n.expires_at <= app_now(), false) AS expired,
      coalesce(u.state ${oneOf(USABLE_STATES)}, true) AND o.state = 'active' AS "userActive",
      CASE WHEN n.template ${oneOf(NOTICE_TEMPLATES)} THEN false
           WHEN n.template = 'register' THEN r.ended_at IS NOT NULL OR r.code_id IS DISTINCT FROM n.code_id
           ELSE v.id IS NULL OR v.ended_at IS NOT NULL END AS "codeEnded",
      ${BRANDING_COLUMN}, coalesce(h.display_name, '') AS "displayName",
      coalesce(${loginName()}, '') AS "loginName",
      v.provider_id AS "codeProviderId",
      -- a code is sent to the address that it verifies, which may be a pending one beside the verified address
      coalesce(CASE WHEN n.channel = 'email' THEN v.target END, h.email, r.email, '') AS email,
      coalesce(CASE WHEN n.channel = 'sms' THEN v.target END, h.phone) AS phone,
      coalesce(h.preferred_language, r.locale) AS "preferredLanguage", ${OWN_TEXTS_COLUMN}
    FROM claimed n
    LEFT JOIN users u ON u.org_id = n.org_id AND u.id = n.user_id
    LEFT JOIN registrations r ON r.id = n.registration_id
    JOIN organizations o ON o.id = n.org_id
    ${BRANDING_JOIN}
    ${primaryDomainJoin('n.org_id')}
    LEFT JOIN user_humans h ON h.user_id = n.user_id
    LEFT JOIN verification_codes v ON v.id = n.code_id`,
};

export function unclaimedNotification(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(NotificationEntity, 'n'), ['state', 'channel'])
    .addSelect(IS_KNOWN, 'known')
    .addSelect('coalesce(n.expiresAt <= app_now(), false)', 'expired')
    .addSelect('extract(epoch FROM n.expiresAt - app_now())::float8 * 1000', 'expiresInMs')
    .addSelect(
      `extract(epoch FROM CASE n.state WHEN 'sending' THEN n.claimedUntil ELSE n.nextAttemptAt END - app_now())::float8
        * 1000`,
      'dueInMs',
    )
    .where('n.id = :id');
}

function handOver(name: string, lock: '' | 'SKIP LOCKED'): Statement {
  return {
    name,
    text: `
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::float8[])
        AS a (id, fence, provider_id, hand_overs, hold_ms) LIMIT $6
    ), held AS MATERIALIZED (${askedRows(
      'n.id, a.provider_id, a.hand_overs, a.hold_ms',
      `n.fence = a.fence AND n.state = 'sending'`,
      lock,
    )}
    )
    UPDATE notifications n SET hand_overs = held.hand_overs, provider_id = held.provider_id, provider_message_id = NULL,
      claimed_until = app_now() + make_interval(secs => held.hold_ms / 1000), changed_at = app_now()
    FROM held WHERE n.id = held.id
    RETURNING n.id`,
  };
}
export const HAND_OVER = {
  one: handOver('notifications-hand-over', ''),
  free: handOver('notifications-hand-over-free', 'SKIP LOCKED'),
};

// a report that arrived before this statement (`reported`) decides the state
function sent(name: string, lock: '' | 'SKIP LOCKED'): Statement {
  return {
    name,
    text: `
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS a (id, fence, message_id, event) LIMIT $5
    ), held AS MATERIALIZED (${askedRows(
      'n.id, a.message_id, a.event',
      `n.fence = a.fence AND n.state = 'sending'`,
      lock,
    )}
    ), done AS (
      UPDATE notifications n SET state = coalesce(reported, 'sent'), provider_message_id = held.message_id,
        delivered_at = CASE WHEN reported = 'delivered' THEN app_now() END,
        dead_letter = coalesce(reported = 'failed', false),
        last_error = CASE WHEN reported = 'failed' THEN 'undelivered' END, last_failure = NULL, finished_at = app_now(),
        changed_at = app_now(), next_attempt_at = NULL, claimed_until = NULL, content_sealed = NULL, data_key_id = NULL
      FROM held WHERE n.id = held.id
      RETURNING n.id, n.outbox_id, held.event
    ), told AS (
      INSERT INTO events (${EVENT_COLUMNS})
      SELECT ${EVENT_COLUMNS} FROM done, jsonb_to_record(done.event::jsonb) AS e (${EVENT_RECORD})
    ), settled AS (
      DELETE FROM outbox o USING done WHERE o.id = done.outbox_id
    )
    SELECT id FROM done`,
  };
}
export const SENT = {
  one: sent('notifications-sent', ''),
  free: sent('notifications-sent-free', 'SKIP LOCKED'),
};

// as above, of one whose answer nobody has heard
export const ABANDONED = {
  name: 'notifications-abandoned',
  text: `
    UPDATE notifications SET state = coalesce(reported, 'abandoned'),
      delivered_at = CASE WHEN reported = 'delivered' THEN app_now() END,
      last_error = CASE reported WHEN 'delivered' THEN NULL WHEN 'failed' THEN 'undelivered' ELSE $3 END,
      dead_letter = coalesce(reported = 'failed', $4), ambiguous = reported IS NULL AND $5,
      last_failure = CASE WHEN reported IS NULL THEN $6::jsonb END,
      finished_at = app_now(), changed_at = app_now(), next_attempt_at = NULL, claimed_until = NULL,
      content_sealed = CASE WHEN reported IS NULL AND $4 THEN content_sealed END,
      data_key_id = CASE WHEN reported IS NULL AND $4 THEN data_key_id END
    WHERE ${STILL_LEASED} RETURNING reported`,
};

export const POSTPONED = written(
  NotificationEntity,
  ['handOvers', 'lastError', 'failures', 'lastFailure'],
  4,
);
// an attempt at which a provider only asked to wait is none
export const POSTPONE = {
  name: 'notifications-postpone',
  text: `
    UPDATE notifications SET state = 'retrying', ${POSTPONED.assignments}, ambiguous = $4 > 0,
      attempts = attempts - CASE WHEN failures = ${POSTPONED.parameterOf('failures')} THEN 1 ELSE 0 END,
      next_attempt_at = least(app_now() + make_interval(secs => $3::float8 / 1000), expires_at),
      claimed_until = NULL, changed_at = app_now()
    WHERE ${STILL_LEASED}
    RETURNING greatest(0, extract(epoch FROM next_attempt_at - app_now()) * 1000)::float8 AS delay_ms`,
};

export const GIVE_BACK = {
  name: 'notifications-give-back',
  text: `
    UPDATE notifications SET state = CASE WHEN coalesce($3, last_error) IS NULL THEN 'pending' ELSE 'retrying' END,
      last_error = coalesce($3, last_error), last_failure = CASE WHEN $3::text IS NULL THEN last_failure ELSE $5 END,
      attempts = attempts - 1, hand_overs = $4, next_attempt_at = NULL, claimed_until = NULL, changed_at = app_now()
    WHERE ${STILL_LEASED}`,
};

export const COUNT_DEAD = {
  name: 'notifications-count-dead',
  text: `SELECT count(*)::int AS count FROM (SELECT FROM notifications WHERE dead_letter LIMIT 10000) AS counted`,
};

export type ClaimedRow = Omit<ClaimedNotification, 'code' | 'codeId' | 'expiresAt' | 'organization'> & {
  codeId: string | null;
  expiresAt: Date | null;
  contentSealed: Buffer | null;
  dataKeyId: number | null;
  branding: OrganizationBranding;
};

export interface ClaimQuestion {
  readonly id: NotificationId;
  readonly channels: readonly NotificationChannel[];
  readonly holdMs: number;
}

interface HandOverQuestion {
  readonly claim: ClaimedNotification;
  readonly providerId: ProviderId;
  readonly handOvers: number;
  readonly holdMs: number;
}

interface SentQuestion {
  readonly claim: ClaimedNotification;
  readonly accepted: Accepted;
  readonly event: AuditEvent;
}

export function claimValues(questions: readonly ClaimQuestion[]): unknown[] {
  return [
    questions.map(({ id }) => id),
    questions.map(({ channels }) => channels.join(',')),
    questions.map(({ holdMs }) => holdMs),
    questions.length,
  ];
}

export function handOverValues(questions: readonly HandOverQuestion[]): unknown[] {
  return [
    questions.map(({ claim }) => claim.id),
    questions.map(({ claim }) => claim.fence),
    questions.map(({ providerId }) => providerId),
    questions.map(({ handOvers }) => handOvers),
    questions.map(({ holdMs }) => holdMs),
    questions.length,
  ];
}

export function sentValues(questions: readonly SentQuestion[]): unknown[] {
  return [
    questions.map(({ claim }) => claim.id),
    questions.map(({ claim }) => claim.fence),
    questions.map(({ accepted }) => accepted.providerMessageId ?? null),
    questions.map(({ event }) => JSON.stringify(eventRecord(event))),
    questions.length,
  ];
}

export interface UnclaimedRow {
  readonly state: NotificationState;
  readonly channel: NotificationChannel;
  readonly known: boolean;
  readonly expired: boolean;
  readonly expiresInMs: number | null;
  readonly dueInMs: number | null;
}
