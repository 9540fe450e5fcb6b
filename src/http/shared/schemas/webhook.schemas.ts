import { z } from 'zod';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { WebhookDeadLetterId, WebhookId } from '../../../domain/shared/ids.js';
import { line, name } from '../../../domain/shared/text-schemas.js';
import { MOST_PATTERNS } from '../../../domain/webhooks/event-patterns.js';
import type { WithSecret } from '../../../domain/webhooks/manage-webhooks.js';
import type { WebhookTest } from '../../../domain/webhooks/test-webhook.js';
import type { DeadLetter, WebhookBacklog, WebhookPlan } from '../../../domain/webhooks/webhook.js';
import type { WebhookRecord } from '../../../domain/webhooks/webhooks.store.js';
import {
  answerFrom,
  detailsOfChange,
  detailsOfCreation,
  detailsOfRecord,
  hasMore,
  shownTime,
} from '../answers.js';
import { listSearchBody } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { duration, shownDuration } from './duration.js';
import { idField } from './id-field.js';
import { moment } from './moment.js';
import { wireEnum } from './wire-enum.js';

const DAY_SECONDS = 86_400;
const LONGEST_OVERLAP_SECONDS = 7 * DAY_SECONDS;
const MOST_LETTERS = 1_000;

/** Body of `webhooks` POST and PUT. */
export const webhookBody = z
  .strictObject({
    name: name(),
    url: line(2000).meta({
      description: 'https; who may read webhooks sees it whole, so put no secret into it.',
    }),
    eventTypes: z
      .array(line(200))
      .min(1, 'must have at least one entry')
      .max(MOST_PATTERNS, `must have at most ${MOST_PATTERNS} entries`)
      .transform((types) => [...new Set(types)])
      .meta({ description: 'Types of docs/events.md, beginnings of them such as `user.*`, or `*` for all.' }),
  })
  .meta({
    examples: [
      {
        name: 'Directory sync',
        url: 'https://hooks.example.com/identity',
        eventTypes: ['user.*', 'session.ended'],
      },
    ],
  })
  .transform((given): WebhookPlan => given);

/** Body of `webhooks/_search`. */
export const webhookSearchBody = listSearchBody({
  sortedBy: {
    WEBHOOK_FIELD_NAME_UNSPECIFIED: 'createdAt',
    WEBHOOK_FIELD_NAME_CREATION_DATE: 'createdAt',
    WEBHOOK_FIELD_NAME_NAME: 'name',
  },
  filters: {
    stateQuery: {
      state: wireEnum({ STATE_UNSPECIFIED: undefined, STATE_ACTIVE: 'active', STATE_INACTIVE: 'inactive' }),
    },
  },
});

/** Body of `_change_secret`. */
export const changeSecretBody = z
  .strictObject({
    overlap: duration(0, LONGEST_OVERLAP_SECONDS)
      .optional()
      .meta({ description: `For how long the secret before signs as well; "${DAY_SECONDS}s" unless given.` }),
  })
  .meta({ examples: [{ overlap: `${DAY_SECONDS}s` }] })
  .prefault({})
  .transform(({ overlap = DAY_SECONDS }) => ({ overlapSeconds: overlap }));

/** Body of `_replay`. */
export const replayBody = z
  .strictObject({ from: moment().meta({ description: 'The first event to be sent is at or after it.' }) })
  .meta({ examples: [{ from: '2026-01-31T12:00:00Z' }] });

/** Body of `dead_letters/_replay`. */
export const replayLettersBody = z
  .strictObject({
    ids: z
      .array(idField<WebhookDeadLetterId>())
      .min(1, 'must have at least one entry')
      .max(MOST_LETTERS, `must have at most ${MOST_LETTERS} entries`)
      .optional()
      .meta({ description: 'All unless given.' }),
  })
  .meta({ examples: [{}] })
  .prefault({});

/** Answers of what makes a secret, which is shown this once. */
export const addedWebhookAnswer = answerFrom(
  z.object({ id: idSchema, details: detailsOfCreation, secret: z.string() }),
  (added: WithSecret & { readonly id: WebhookId }) => added,
);
export const changedSecretAnswer = answerFrom(
  z.object({ details: detailsOfChange, secret: z.string() }),
  (changed: WithSecret) => changed,
);

const STATES = { active: 'STATE_ACTIVE', inactive: 'STATE_INACTIVE' } as const;

/** Of a list, without what would have to be looked up for each. */
type ReadWebhook = WebhookRecord & { readonly backlog?: WebhookBacklog };

/** A webhook as it is read: never its secret. */
export const webhookAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: z.enum(STATES),
    name: z.string(),
    url: z.string(),
    eventTypes: z.array(z.string()).readonly(),
    formerSecretUntil: shownTime
      .optional()
      .meta({ description: 'Until then the secret before this one signs as well.' }),
    failures: z.int().meta({ description: 'Attempts that failed in a row; 0 after a delivery.' }),
    lastError: z.string().optional().meta({
      description: 'Of the last attempt that failed, such as `http_503`, `http_timeout` or `http_dns`.',
    }),
    lastDelivery: shownTime.optional(),
    nextAttempt: shownTime.optional().meta({ description: 'Where the last attempt failed.' }),
    oldestUndelivered: shownTime.optional().meta({
      description: 'When the event happened that is sent next; none where nothing waits, and none in lists.',
    }),
    lag: shownDuration.optional().meta({ description: 'The age of that event; none in lists.' }),
    deadLetters: z.int().optional().meta({ description: 'Events that were given up; none in lists.' }),
    hasMoreDeadLetters: hasMore('There are more than `deadLetters`, at which counting stopped.'),
  }),
  ({ webhook, state, health, formerSecretUntil, details, backlog }: ReadWebhook) => ({
    ...webhook,
    details,
    state: STATES[state],
    formerSecretUntil: formerSecretUntil ?? undefined,
    failures: health.failures,
    lastError: health.lastError ?? undefined,
    lastDelivery: health.lastDeliveredAt ?? undefined,
    nextAttempt: health.failures > 0 ? health.nextAttemptAt : undefined,
    oldestUndelivered: backlog?.oldestAt,
    lag: backlog && Math.round(backlog.lagSeconds),
    deadLetters: backlog?.deadLetters,
    hasMoreDeadLetters: backlog?.hasMoreDeadLetters === true,
  }),
);

/** What became of a ping. */
export const webhookTestAnswer = answerFrom(
  z.object({
    delivered: z.boolean(),
    status: z.int().optional().meta({ description: 'Of the answer, where there was one.' }),
    reason: z.string().optional().meta({ description: 'Why there was none, such as `http_timeout`.' }),
    durationMs: z.int(),
  }),
  (test: WebhookTest) => test,
);

/** An event that was given up. */
export const deadLetterAnswer = answerFrom(
  z.object({
    id: idSchema,
    state: z.enum(['dead', 'queued']).meta({ description: '`queued`: it is sent again soon.' }),
    event: z.object({ id: z.string(), type: z.string(), creationDate: shownTime }),
    reason: z.string(),
    attempts: z.int(),
    creationDate: shownTime,
  }),
  ({ id, state, eventId, eventType, eventAt, reason, attempts, createdAt }: DeadLetter) => ({
    id,
    state,
    event: { id: eventId, type: eventType, creationDate: eventAt },
    reason,
    attempts,
    creationDate: createdAt,
  }),
);

export const replayedLettersAnswer = answerFrom(
  z.object({ details: detailsOfChange, count: z.int() }),
  (replayed: { readonly details: ResourceDetails; readonly count: number }) => replayed,
);
