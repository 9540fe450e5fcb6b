// SQL by hand: webhooks are claimed under fencing numbers, and places in the event log are compared as rows (time, position)
import type { EntityManager } from 'typeorm';
import { MOST_COUNTED } from '../../../domain/shared/page.js';
import { microsecondsOf } from '../microseconds.js';
import { selecting } from '../query.js';
import { WebhookDeadLetterEntity } from '../tables/webhook.entity.js';
import { parameters } from '../written.js';
import { signingColumns } from './webhook-secrets.js';

/** Asked once: `app_now()` is volatile, which keeps it out of index conditions. */
const NOW = '(SELECT app_now())';
/** Webhooks of one organization that are delivered at the same time, in all workers together. */
const MOST_OF_ORGANIZATION = 4;
/** Events that are searched for the oldest undelivered one: a webhook may have been inactive for a year. */
const MOST_LOOKED_THROUGH = 1_000;

const BEYOND =
  'e.created_at >= w.cursor_at AND (e.created_at, e.position) > (w.cursor_at, w.cursor_position)';

/**
 * SQL: an event `e` before the cursor of `w` that was written after the cursor passed its time, because the database's clock was set
 * back. Positions are drawn in the order of writing, so such an event has a higher position than any passed before (`cursor_highest`).
 * A worker of the previous release does not write `cursor_highest`; its cursor is accepted as it is.
 */
const LATE = `e.created_at > w.cursor_at - interval '1 minute' AND e.created_at <= w.cursor_at
  AND e.position > w.cursor_highest AND w.cursor_highest >= w.cursor_position
  AND (e.created_at, e.position) <= (w.cursor_at, w.cursor_position)`;

const MAY_BE_LATE = `w.cursor_at > ${NOW} - interval '10 minutes'`;

const OF_ORGANIZATION = 'e.org_id = w.org_id';

/** Whether there is an event. EXISTS has no ORDER BY: expecting to find one soon, the planner would scan a whole month if there is none. */
function first(condition: string): string {
  return `(SELECT true FROM events e WHERE ${condition} ORDER BY e.created_at, e.position LIMIT 1)`;
}

/**
 * SQL: whether there are events for `w`, of whatever type. Each half has an index of its own. Late events are looked for only for some
 * minutes after the cursor's time (`MAY_BE_LATE`); if no worker ran in that time, the next event of the organization finds them.
 */
const HAS_EVENTS = `CASE WHEN w.org_id IS NULL
  THEN ${first(BEYOND)} OR ${MAY_BE_LATE} AND ${first(LATE)}
  ELSE ${first(`${OF_ORGANIZATION} AND ${BEYOND}`)} OR ${MAY_BE_LATE} AND ${first(`${OF_ORGANIZATION} AND ${LATE}`)} END`;
const HAS_LETTERS = `EXISTS (SELECT FROM webhook_dead_letters d WHERE d.webhook_id = w.id AND d.state = 'queued')`;
const FREE = `w.state = 'active' AND w.next_attempt_at <= ${NOW}
  AND (w.claimed_until IS NULL OR w.claimed_until < ${NOW})`;

const PROGRESS = `${microsecondsOf('w.cursor_at')} AS at, w.cursor_position AS position,
  greatest(w.cursor_highest, w.cursor_position) AS highest,
  ${microsecondsOf('w.reread_until')} AS "rereadUntil", w.reread_above AS "rereadAbove"`;

// FREE is checked again where rows are locked: another worker may have claimed one meanwhile
export const CLAIM_DUE = {
  name: 'webhooks-claim-due',
  text: `
    WITH waiting AS (
      SELECT w.id, w.org_id, w.next_attempt_at,
        row_number() OVER (PARTITION BY w.org_id ORDER BY w.next_attempt_at, w.id) AS turn
      FROM webhooks w LEFT JOIN organizations o ON o.id = w.org_id
      WHERE ${FREE} AND (w.org_id IS NULL OR o.state = 'active') AND (${HAS_LETTERS} OR ${HAS_EVENTS})
    ), held AS (
      SELECT w.org_id, count(*) AS count FROM webhooks w
      WHERE w.org_id IS NOT NULL AND w.claimed_until >= ${NOW} GROUP BY w.org_id
    ), due AS MATERIALIZED (
      SELECT w.id FROM webhooks w
      JOIN waiting ON waiting.id = w.id LEFT JOIN held ON held.org_id = w.org_id
      WHERE ${FREE} AND (w.org_id IS NULL OR waiting.turn + coalesce(held.count, 0) <= ${MOST_OF_ORGANIZATION})
      ORDER BY waiting.next_attempt_at LIMIT $1 FOR NO KEY UPDATE OF w SKIP LOCKED
    )
    UPDATE webhooks w SET fence = w.fence + 1,
      claimed_until = app_now() + make_interval(secs => $2::float8 / 1000)
    FROM due WHERE w.id = due.id
    RETURNING w.id, w.org_id AS "orgId", w.url, w.event_types AS "eventTypes", w.fence, w.attempts,
      ${PROGRESS}, ${HAS_LETTERS} AS "hasQueuedLetters", ${signingColumns('w')}`,
};

/** The claim of `$1` under the fence `$2`, which every statement with this condition has first. */
const STILL_LEASED = `w.id = $1 AND w.fence = $2 AND w.claimed_until IS NOT NULL`;
const GIVEN_BACK = `claimed_until = NULL`;
/** The highest position is not always the last: of two events written concurrently, the later one may have the lower position. */
function movedOn(to: Readonly<Record<'at' | 'position' | 'highest', string>>): string {
  return `cursor_at = ${to.at}::timestamptz, cursor_position = ${to.position}::bigint,
  cursor_highest = greatest(w.cursor_highest, ${to.highest}::bigint)`;
}
const MOVED = ['id', 'fence', 'at', 'position', 'highest'] as const;

/** Moves the cursor back to just before the first late event. If the clock is set back again meanwhile, some events are sent twice. */
function rewind(name: string, scope: string) {
  const rereads = 'w.reread_until > w.cursor_at';
  return {
    name,
    text: `
      UPDATE webhooks w SET cursor_at = late.created_at - interval '1 microsecond', cursor_position = 0, attempts = 0,
        reread_until = CASE WHEN ${rereads} THEN w.reread_until ELSE w.cursor_at END,
        reread_above = CASE WHEN ${rereads} THEN w.reread_above ELSE w.cursor_highest END
      FROM (
        SELECT e.created_at FROM webhooks w CROSS JOIN LATERAL (
          SELECT e.created_at FROM events e WHERE ${scope} AND ${LATE}
          ORDER BY e.created_at, e.position LIMIT 1) AS e
        WHERE ${STILL_LEASED}) AS late
      WHERE ${STILL_LEASED}
      RETURNING ${PROGRESS}`,
  };
}

export const REWIND = rewind('webhooks-rewind', OF_ORGANIZATION);
export const REWIND_INSTANCE = rewind('webhooks-rewind-instance', 'true');

export const ADVANCE_BY = parameters([...MOVED, 'delivered', 'holdMs']);
const advance = ADVANCE_BY.$;
export const ADVANCE = {
  name: 'webhooks-advance',
  text: `
    UPDATE webhooks w SET ${movedOn(advance)},
      attempts = CASE WHEN ${advance.delivered} THEN 0 ELSE w.attempts END,
      failures = CASE WHEN ${advance.delivered} THEN 0 ELSE w.failures END,
      last_delivered_at = CASE WHEN ${advance.delivered} THEN app_now() ELSE w.last_delivered_at END,
      claimed_until = app_now() + make_interval(secs => ${advance.holdMs}::float8 / 1000)
    -- nothing more is sent to an organization that was deactivated meanwhile
    WHERE ${STILL_LEASED} AND (w.org_id IS NULL OR EXISTS (
      SELECT FROM organizations o WHERE o.id = w.org_id AND o.state = 'active'))`,
};

export const POSTPONE_BY = parameters([...MOVED, 'attempts', 'reason', 'delayMs']);
const postpone = POSTPONE_BY.$;
export const POSTPONE = {
  name: 'webhooks-postpone',
  text: `
    UPDATE webhooks w SET ${movedOn(postpone)}, attempts = ${postpone.attempts}, failures = w.failures + 1,
      last_error = ${postpone.reason}, next_attempt_at = app_now() + make_interval(secs => ${postpone.delayMs}::float8 / 1000), ${GIVEN_BACK}
    WHERE ${STILL_LEASED}`,
};

export const MOVE_TO_DEAD_LETTERS_BY = parameters([...MOVED, 'type', 'reason', 'attempts', 'holdMs']);
const bury = MOVE_TO_DEAD_LETTERS_BY.$;
export const MOVE_TO_DEAD_LETTERS = {
  name: 'webhooks-bury',
  text: `
    WITH passed AS (
      UPDATE webhooks w SET ${movedOn(bury)}, attempts = 0, failures = w.failures + 1,
        last_error = ${bury.reason}::text, claimed_until = app_now() + make_interval(secs => ${bury.holdMs}::float8 / 1000)
      WHERE ${STILL_LEASED} RETURNING w.id
    )
    INSERT INTO webhook_dead_letters AS d (webhook_id, event_at, event_position, event_type, reason, attempts)
    SELECT id, ${bury.at}::timestamptz, ${bury.position}::bigint, ${bury.type}::text, ${bury.reason}::text,
      ${bury.attempts}::integer FROM passed
    ON CONFLICT (webhook_id, event_at, event_position)
      DO UPDATE SET state = 'dead', reason = excluded.reason, attempts = excluded.attempts, created_at = app_now()`,
};

// next_attempt_at is moved to now or later, so that webhooks that have waited longer come first
export const RELEASE = {
  name: 'webhooks-release',
  text: `
    UPDATE webhooks w SET next_attempt_at = app_now() + make_interval(secs => $3::float8 / 1000), ${GIVEN_BACK}
    WHERE ${STILL_LEASED}`,
};

/** The next dead letter that is to be sent again. */
export function queuedLetter(entities: EntityManager) {
  return selecting(entities.createQueryBuilder(WebhookDeadLetterEntity, 'd'), ['id', 'attempts'])
    .addSelect('d.eventPosition', 'position')
    .addSelect(microsecondsOf('d.eventAt'), 'at')
    .where(`d.webhookId = :webhookId AND d.state = 'queued'`)
    .orderBy('d.eventAt')
    .addOrderBy('d.eventPosition')
    .limit(1);
}

export const REMOVE_LETTER = {
  name: 'webhook-dead-letters-remove',
  text: `
    WITH held AS (
      UPDATE webhooks w SET claimed_until = app_now() + make_interval(secs => $4::float8 / 1000), failures = 0,
        last_delivered_at = app_now()
      WHERE ${STILL_LEASED} RETURNING w.id
    )
    DELETE FROM webhook_dead_letters d USING held WHERE d.id = $3 AND d.webhook_id = held.id`,
};

export const RETURN_LETTER = {
  name: 'webhook-dead-letters-return',
  text: `
    WITH held AS (
      UPDATE webhooks w SET next_attempt_at = app_now() + make_interval(secs => $5::float8 / 1000),
        failures = w.failures + 1, last_error = $4, ${GIVEN_BACK}
      WHERE ${STILL_LEASED} RETURNING w.id
    )
    UPDATE webhook_dead_letters d SET state = 'dead', reason = $4, attempts = d.attempts + 1, created_at = app_now()
    FROM held WHERE d.id = $3 AND d.webhook_id = held.id`,
};

const WANTED = `EXISTS (
  SELECT FROM unnest(w.event_types) AS p (pattern)
  WHERE p.pattern IN (e.type, '*') OR right(p.pattern, 2) = '.*' AND starts_with(e.type, left(p.pattern, -1)))`;

/** The oldest event after the cursor of `w` that meets `condition`, of the next `MOST_LOOKED_THROUGH`. */
function oldest(condition: string, scope: string): string {
  return `(SELECT e.created_at FROM (
      SELECT e.created_at, e.position, e.type FROM events e WHERE ${scope} AND ${BEYOND}
      ORDER BY e.created_at, e.position LIMIT ${MOST_LOOKED_THROUGH}) AS e
    WHERE ${condition} ORDER BY e.created_at, e.position LIMIT 1)`;
}

export const BACKLOG = {
  name: 'webhooks-backlog',
  text: `
    SELECT f.at AS oldest_at, extract(epoch FROM app_now() - f.at)::float8 AS lag,
      (SELECT count(*)::int FROM (SELECT FROM webhook_dead_letters d WHERE d.webhook_id = w.id LIMIT ${MOST_COUNTED + 1}) AS counted) AS dead
    FROM webhooks w
    CROSS JOIN LATERAL (SELECT CASE WHEN w.org_id IS NULL THEN ${oldest(WANTED, 'true')}
      ELSE ${oldest(WANTED, OF_ORGANIZATION)} END AS at) AS f
    WHERE w.id = $1`,
};

// of whatever type: events that a webhook does not want are passed over within seconds
export const MEASURE = {
  name: 'webhooks-measure',
  text: `
    SELECT coalesce(max(extract(epoch FROM app_now() - f.at)), 0)::float8 AS lag,
      (SELECT count(*)::int FROM (SELECT FROM webhook_dead_letters LIMIT ${MOST_COUNTED}) AS counted) AS dead
    FROM webhooks w LEFT JOIN organizations o ON o.id = w.org_id
    CROSS JOIN LATERAL (SELECT CASE
      WHEN w.org_id IS NULL
        THEN (SELECT e.created_at FROM events e WHERE ${BEYOND} ORDER BY e.created_at, e.position LIMIT 1)
      ELSE (SELECT e.created_at FROM events e WHERE ${OF_ORGANIZATION} AND ${BEYOND} ORDER BY e.created_at, e.position LIMIT 1)
      END AS at) AS f
    WHERE w.state = 'active' AND (w.org_id IS NULL OR o.state = 'active')`,
};
