import { z } from 'zod';
import { phoneNumberOf } from '../../../domain/imports/records/phone-number.js';
import type { AskedReplays } from '../../../domain/notifications/ledger/ledger.js';
import type { ReplayRefusal } from '../../../domain/notifications/ledger/replay-dead-letters.js';
import { NOTIFICATION_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import type {
  Delivery,
  DeliveryFilter,
  NotificationChannel,
  NotificationState,
} from '../../../domain/notifications/notifications.store.js';
import type { NotificationId, OrgId, UserId } from '../../../domain/shared/ids.js';
import { answerFrom, detailsOfRecord, shownTime } from '../answers.js';
import { cursorPageField, pageQuery } from '../lists.js';
import { condition, momentCondition } from '../search-conditions.js';
import { idSchema } from './answer-schemas.js';
import { storable } from './api-fields.js';

const STATES = ['queued', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'abandoned'] as const;
const CHANNELS = ['email', 'sms'] as const satisfies readonly NotificationChannel[];

function oneOf<const Members extends readonly [string, ...string[]]>(members: Members) {
  return z.enum(members, { error: `must be one of ${members.join(', ')}` });
}

const name = condition();
const moment = momentCondition();

const conditions = {
  channel: oneOf(CHANNELS).optional(),
  template: oneOf(NOTIFICATION_TEMPLATES).optional(),
  userId: name,
  reason: name.meta({ description: 'As the ledger shows it, such as `smtp_550`.' }),
  createdFrom: moment,
  createdBefore: moment,
};
const inInstance = { organizationId: name, providerId: name };
const inOrganization = {
  recipient: storable(
    z.string({ error: 'must be a string' }).trim().min(1, 'must not be empty').max(320, 'is too long'),
  )
    // numbers are stored without spaces
    .transform((typed) => (typed.includes('@') ? typed : (phoneNumberOf(typed) ?? typed)))
    .optional()
    .meta({
      description:
        'The whole e-mail address or phone number of a user, or the e-mail address that somebody registers with. ' +
        'Needs the permission `user.read` as well.',
    }),
};
const searched = {
  query: cursorPageField,
  states: z
    .array(oneOf(STATES))
    .min(1, 'must not be empty')
    .max(STATES.length, 'has too many entries')
    .optional(),
  deadLetter: z.boolean().optional(),
  ...conditions,
};
const limitRule = 'must be a whole number from 1 to 1000';
const replayed = {
  notificationIds: z
    .array(storable(z.string().min(1).max(200)), { error: 'must be a list of ids' })
    .min(1, 'must not be empty')
    .max(1000, 'must have at most 1000 entries')
    .optional()
    .meta({ description: 'Instead of conditions.' }),
  limit: z.number({ error: limitRule }).int(limitRule).min(1, limitRule).max(1000, limitRule).default(100),
  all: z
    .boolean()
    .default(false)
    .meta({ description: 'Without ids and without conditions: whatever there is.' }),
  ...conditions,
};

const SEARCH = {
  examples: [
    {
      query: { offset: '0', limit: 20, asc: false },
      states: ['failed', 'abandoned'],
      channel: 'email',
      createdFrom: '2030-01-31T12:00:00Z',
    },
  ],
};
const REPLAY = { minProperties: 1, examples: [{ limit: 100, template: 'initialise', reason: 'smtp_550' }] };

/** Bodies of `…/notifications/_search`; none is an empty one. */
export const notificationSearchBody = z
  .strictObject({ ...searched, ...inOrganization })
  .meta(SEARCH)
  .prefault({})
  .transform(searchOf);
export const instanceNotificationSearchBody = z
  .strictObject({ ...searched, ...inInstance })
  .meta(SEARCH)
  .prefault({})
  .transform(searchOf);

/** Bodies of `…/notifications/_replay`: ids, a condition, or `all`. */
export const replaysBody = z
  .strictObject({ ...replayed, ...inOrganization })
  .meta(REPLAY)
  .prefault({})
  .transform(replaysOf);
export const instanceReplaysBody = z
  .strictObject({ ...replayed, ...inInstance })
  .meta(REPLAY)
  .prefault({})
  .transform(replaysOf);

type Searched = z.output<z.ZodObject<typeof searched>>;
type Replayed = z.output<z.ZodObject<typeof replayed>>;
type Scoped = Partial<z.output<z.ZodObject<typeof inInstance & typeof inOrganization>>>;

function searchOf({ query, ...asked }: Searched & Scoped) {
  return { page: pageQuery({ query }, asked), filter: filterOf(asked) };
}

function replaysOf({ notificationIds, limit, all, ...asked }: Replayed & Scoped): AskedReplays {
  return { ids: notificationIds as NotificationId[] | undefined, filter: filterOf(asked), all, limit };
}

function filterOf(asked: Partial<Omit<Searched, 'query'>> & Scoped): DeliveryFilter {
  const { organizationId, userId, states, ...same } = asked;
  return {
    ...same,
    orgId: organizationId as OrgId | undefined,
    userId: userId as UserId | undefined,
    states: states?.map((state): NotificationState => (state === 'queued' ? 'pending' : state)),
  };
}

const cause = z.string().optional().meta({
  description: 'What the connection met, as the system calls it: `ECONNREFUSED`.',
});
/** With whom something failed. */
export const failedWithFields = {
  host: z.string().optional().meta({ description: "The provider's, whom it failed with." }),
  port: z.number().int().optional(),
  cause,
};

const notification = z.object({
  id: idSchema,
  details: detailsOfRecord,
  channel: z.enum(CHANNELS),
  template: z.enum(NOTIFICATION_TEMPLATES),
  state: z.enum(STATES),
  userId: idSchema.optional(),
  target: z
    .string()
    .optional()
    .meta({ description: 'Where the user is reached now, with most of it left out.' }),
  attempts: z.number().int(),
  reason: z.string().optional().meta({ description: 'Of the last failed attempt, or of the end.' }),
  cause,
  nextAttemptAt: shownTime.optional(),
  providerId: z.string().optional(),
  providerMessageId: z.string().optional(),
  ambiguous: z.boolean().meta({ description: 'A provider may have taken it and nobody heard.' }),
  deadLetter: z.boolean().meta({ description: 'Given up although somebody wanted it.' }),
  expiresAt: shownTime.optional(),
  finishedAt: shownTime.optional(),
  deliveredAt: shownTime.optional(),
});

function fieldsOf({ failedWith, ...delivery }: Delivery) {
  return {
    ...delivery,
    ...failedWith,
    organizationName: delivery.orgName ?? undefined,
    state: delivery.state === 'pending' ? ('queued' as const) : delivery.state,
    userId: delivery.userId ?? undefined,
    reason: delivery.reason ?? undefined,
    nextAttemptAt: delivery.nextAttemptAt ?? undefined,
    providerId: delivery.providerId ?? undefined,
    providerMessageId: delivery.providerMessageId ?? undefined,
    expiresAt: delivery.expiresAt ?? undefined,
    finishedAt: delivery.finishedAt ?? undefined,
    deliveredAt: delivery.deliveredAt ?? undefined,
  };
}

const ofInstance = {
  ...failedWithFields,
  organizationName: z
    .string()
    .optional()
    .meta({ description: 'Of the organization in `details.resourceOwner`, whose user it is for.' }),
};

/** Where the instance's providers are is no business of its organizations: their answer has no fields for it. */
export const notificationAnswer = answerFrom(notification, fieldsOf);
export const instanceNotificationAnswer = answerFrom(notification.extend(ofInstance), fieldsOf);

const REFUSALS = [
  'not_found',
  'not_a_dead_letter',
  'user_inactive',
  'code_ended',
  'code_expired',
  'content_erased',
  'outcome_unknown',
] as const satisfies readonly ReplayRefusal[];

export const replayAnswer = z.object({
  replayed: z.array(idSchema).readonly(),
  refused: z.array(z.object({ id: idSchema, reason: z.enum(REFUSALS) })).readonly(),
});
