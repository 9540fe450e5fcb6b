import { z } from 'zod';
import {
  deliveryNotFound,
  type Delivery,
  type DeliveryFilter,
} from '../../domain/notifications/ledger/delivery.js';
import type { AskedReplays } from '../../domain/notifications/ledger/ledger.js';
import type { ReplayRefusal, ReplayResult } from '../../domain/notifications/ledger/replay-dead-letters.js';
import type { NotificationTemplate } from '../../domain/notifications/notification-template.js';
import type {
  NotificationChannel,
  NotificationState,
} from '../../domain/notifications/notifications.store.js';
import type { NotificationId, OrgId, UserId } from '../../domain/shared/ids.js';
import { idSchema, readDetailsSchema } from './answer-schemas.js';
import { bodyReader, flag, isStorable } from './api-fields.js';
import { readDetails, type DetailsResponse } from './details-response.js';
import { pageField } from './lists.js';
import { PathId } from './path-id.js';
import { condition, momentCondition } from './search-conditions.js';

export const NOTIFICATION_ID = new PathId(deliveryNotFound);

const STATES = ['queued', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'abandoned'] as const;
type ShownState = (typeof STATES)[number];
const TEMPLATES = [
  'initialise',
  'verify_email',
  'verify_phone',
  'reset_password',
  'password_changed',
  'register',
  'account_exists',
  'email_changed',
  'reset_choice',
] as const satisfies readonly NotificationTemplate[];
const CHANNELS = ['email', 'sms'] as const satisfies readonly NotificationChannel[];

function oneOf<const Members extends readonly [string, ...string[]]>(members: Members) {
  return z.enum(members, { error: `must be one of ${members.join(', ')}` });
}

const name = condition();
const moment = momentCondition();

const conditions = {
  channel: oneOf(CHANNELS).optional(),
  template: oneOf(TEMPLATES).optional(),
  userId: name,
  reason: name.meta({ description: 'As the ledger shows it, such as `smtp_550`.' }),
  createdFrom: moment,
  createdBefore: moment,
};
const inInstance = { organizationId: name, providerId: name };
const searched = {
  query: pageField,
  states: z
    .array(oneOf(STATES), { error: 'must be a list' })
    .min(1, 'must not be empty')
    .max(STATES.length, 'has too many entries')
    .optional(),
  deadLetter: z.boolean({ error: 'must be true or false' }).optional(),
  ...conditions,
};
const replayed = {
  notificationIds: z
    .array(z.string().min(1).max(200).refine(isStorable), { error: 'must be a list of ids' })
    .min(1, 'must not be empty')
    .max(1000, 'must have at most 1000 entries')
    .optional()
    .meta({ description: 'Instead of conditions.' }),
  limit: z
    .number({ error: 'must be a whole number from 1 to 1000' })
    .int('must be a whole number from 1 to 1000')
    .min(1, 'must be a whole number from 1 to 1000')
    .max(1000, 'must be a whole number from 1 to 1000')
    .default(100),
  all: flag().meta({ description: 'Without ids and without conditions: whatever there is.' }),
  ...conditions,
};

export const readDeliverySearch = bodyReader(searched);
export const readInstanceDeliverySearch = bodyReader({ ...searched, ...inInstance });
export const readReplays = bodyReader(replayed);
export const readInstanceReplays = bodyReader({ ...replayed, ...inInstance });

type Conditions = Omit<ReturnType<typeof readInstanceDeliverySearch>, 'query'>;

export function filterOf(asked: Partial<Conditions>): DeliveryFilter {
  const { organizationId, userId, states, channel, template, providerId, reason } = asked;
  return {
    orgId: organizationId as OrgId | undefined,
    userId: userId as UserId | undefined,
    states: states?.map((state): NotificationState => (state === 'queued' ? 'pending' : state)),
    channel,
    template,
    providerId,
    reason,
    deadLetter: asked.deadLetter,
    createdFrom: asked.createdFrom,
    createdBefore: asked.createdBefore,
  };
}

type Replays = ReturnType<typeof readInstanceReplays>;

/** @param orgId of a call that is about one organization only */
export function askedReplays(
  { notificationIds, limit, all, ...asked }: Replays | ReturnType<typeof readReplays>,
  orgId?: OrgId,
): AskedReplays {
  const filter = filterOf(asked);
  return {
    ids: notificationIds as NotificationId[] | undefined,
    filter: orgId === undefined ? filter : { ...filter, orgId },
    all,
    limit,
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
const time = z.iso.datetime().optional();
export const deliverySchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  channel: z.enum(CHANNELS),
  template: z.enum(TEMPLATES),
  state: z.enum(STATES),
  userId: idSchema.optional(),
  target: z
    .string()
    .optional()
    .meta({ description: 'Where the user is reached now, with most of it left out.' }),
  attempts: z.number().int(),
  reason: z.string().optional().meta({ description: 'Of the last failed attempt, or of the end.' }),
  cause,
  nextAttemptAt: time,
  providerId: z.string().optional(),
  providerMessageId: z.string().optional(),
  ambiguous: z.boolean().meta({ description: 'A provider may have taken it and nobody heard.' }),
  deadLetter: z.boolean().meta({ description: 'Given up although somebody wanted it.' }),
  expiresAt: time,
  finishedAt: time,
  deliveredAt: time,
});

/** Where the instance's providers are is no business of its organizations. */
export const instanceDeliverySchema = deliverySchema.extend(failedWithFields);

export interface DeliveryResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly channel: NotificationChannel;
  readonly template: NotificationTemplate;
  readonly state: ShownState;
  readonly userId?: string;
  readonly target?: string;
  readonly attempts: number;
  readonly reason?: string;
  readonly host?: string;
  readonly port?: number;
  readonly cause?: string;
  readonly nextAttemptAt?: string;
  readonly providerId?: string;
  readonly providerMessageId?: string;
  readonly ambiguous: boolean;
  readonly deadLetter: boolean;
  readonly expiresAt?: string;
  readonly finishedAt?: string;
  readonly deliveredAt?: string;
}

export function deliveryResponse(delivery: Delivery): DeliveryResponse {
  const { id, channel, template, state, userId, target, attempts, reason, ambiguous, deadLetter } = delivery;
  return {
    id,
    details: readDetails(delivery.details),
    channel,
    template,
    state: state === 'pending' ? 'queued' : state,
    ...(userId !== null && { userId }),
    ...(target !== undefined && { target }),
    attempts,
    ...(reason !== null && { reason }),
    ...(delivery.failedWith?.cause !== undefined && { cause: delivery.failedWith.cause }),
    ...when('nextAttemptAt', delivery.nextAttemptAt),
    ...(delivery.providerId !== null && { providerId: delivery.providerId }),
    ...(delivery.providerMessageId !== null && { providerMessageId: delivery.providerMessageId }),
    ambiguous,
    deadLetter,
    ...when('expiresAt', delivery.expiresAt),
    ...when('finishedAt', delivery.finishedAt),
    ...when('deliveredAt', delivery.deliveredAt),
  };
}

export function instanceDeliveryResponse(delivery: Delivery): DeliveryResponse {
  return { ...deliveryResponse(delivery), ...delivery.failedWith };
}

function when(field: keyof DeliveryResponse, date: Date | null): Partial<DeliveryResponse> {
  return date === null ? {} : { [field]: date.toISOString() };
}

const REFUSALS = [
  'not_found',
  'not_a_dead_letter',
  'user_inactive',
  'code_ended',
  'code_expired',
  'content_erased',
  'outcome_unknown',
] as const satisfies readonly ReplayRefusal[];

export const replaySchema = z.strictObject({
  replayed: z.array(idSchema),
  refused: z.array(z.strictObject({ id: idSchema, reason: z.enum(REFUSALS) })),
});

export interface ReplayResponse {
  readonly replayed: readonly NotificationId[];
  readonly refused: readonly { readonly id: NotificationId; readonly reason: ReplayRefusal }[];
}

export function replayResponse({ replayed: sent, refused }: ReplayResult): ReplayResponse {
  return { replayed: sent, refused };
}
