import { z } from 'zod';
import type { EventPage } from '../../domain/events/event-log.js';
import type { EventFilter, LoggedEvent } from '../../domain/events/event-log.store.js';
import { EVENT_AGGREGATES, EVENT_TYPE_NAMES } from '../../domain/events/event-types.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { idSchema, listSchema } from './answer-schemas.js';
import { bodyReader, flag } from './api-fields.js';
import type { ListResponse } from './lists.js';
import { condition, momentCondition } from './search-conditions.js';

const MOST_EVENTS = 1000;
const USUAL_EVENTS = 100;
/** Each is looked up on its own. */
const MOST_TYPES = 20;

const limitRule = `must be a whole number from 1 to ${MOST_EVENTS}`;
const query = z
  .strictObject(
    {
      cursor: z.string({ error: 'must be a string' }).max(200, 'is too long').optional().meta({
        description:
          '`nextCursor` or `lastCursor` of a search with the same conditions; it goes on after it.',
      }),
      limit: z
        .union([z.number(), z.string().regex(/^[0-9]{1,4}$/)], { error: limitRule })
        .transform(Number)
        .refine((value) => Number.isInteger(value) && value >= 1 && value <= MOST_EVENTS, limitRule)
        .optional()
        .meta({ description: `${USUAL_EVENTS} unless given.` }),
      asc: flag().meta({ description: 'The oldest first.' }),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? `has an unknown field "${issue.keys[0]}"` : 'must be an object',
    },
  )
  .default({ asc: false });

const id = condition();
const moment = momentCondition();

const conditions = {
  query,
  createdFrom: moment,
  createdBefore: moment,
  editorUserId: id.meta({ description: 'Who did it.' }),
  aggregateType: z
    .enum(EVENT_AGGREGATES, { error: 'is none of the kinds of things that docs/events.md lists' })
    .optional()
    .meta({ description: 'What kind of thing it was done to.' }),
  aggregateId: id.meta({ description: 'The thing that it was done to.' }),
  types: z
    .array(z.enum(EVENT_TYPE_NAMES, { error: 'is none of the types that docs/events.md lists' }), {
      error: 'must be a list',
    })
    .min(1, 'must not be empty')
    .max(MOST_TYPES, `must have at most ${MOST_TYPES} entries`)
    .optional()
    .meta({ description: 'Any of these.' }),
};

export const readEventSearch = bodyReader(conditions);
export const readInstanceEventSearch = bodyReader({ ...conditions, organizationId: id });

type EventSearch = ReturnType<typeof readInstanceEventSearch>;

export interface AskedEvents {
  readonly filter: EventFilter;
  readonly cursor: string | undefined;
  readonly ascending: boolean;
  readonly limit: number | undefined;
}

/** @param orgId of a call that is about one organization only */
export function askedEvents({ query: page, ...asked }: EventSearch, orgId?: OrgId): AskedEvents {
  return {
    filter: {
      orgId: orgId ?? (asked.organizationId as OrgId | undefined),
      actorId: asked.editorUserId,
      aggregateType: asked.aggregateType,
      aggregateId: asked.aggregateId,
      types: asked.types,
      createdFrom: asked.createdFrom,
      createdBefore: asked.createdBefore,
    },
    cursor: page.cursor,
    ascending: page.asc,
    limit: page.limit,
  };
}

export function pageLimit({ limit }: AskedEvents): number {
  return limit ?? USUAL_EVENTS;
}

/** @throws ApiError invalid-argument */
export function requireNoLimit({ limit }: AskedEvents): void {
  if (limit === undefined) return;
  throw new ApiError('invalid-argument', 'query.limit is for pages: a stream has all events there are');
}

export const eventSchema = z.strictObject({
  id: z.string().regex(/^\d+$/).meta({ description: 'No other event has it.' }),
  sequence: z.string().regex(/^\d+$/).meta({ description: 'Number of changes of the thing by then.' }),
  creationDate: z.iso.datetime(),
  type: z.string().meta({ description: 'One of those in docs/events.md, or of an older release.' }),
  aggregate: z.strictObject({ type: z.string(), id: idSchema }),
  resourceOwner: z
    .string()
    .optional()
    .meta({ description: 'The organization that it belongs to; none for what is about the instance.' }),
  editor: z
    .strictObject({ userId: idSchema })
    .optional()
    .meta({ description: 'Who did it; nobody where the service did it by itself.' }),
  fields: z.array(z.string()).optional().meta({ description: 'Names of what changed.' }),
  payload: z.record(z.string(), z.unknown()).optional().meta({ description: 'Ids, states and counts.' }),
});

export const SEARCH_RULES =
  'All conditions must hold; `types` are any of several. Newest first, unless `asc`. Pages go on by `cursor`, which skips and ' +
  'repeats nothing when events are written meanwhile. With `Accept: application/x-ndjson` all events are streamed, one a ' +
  'line: for an hour at most, and as long as the caller may see them. A stream that is cut off has no proper end.';
export const EVENT_STREAM = { 'application/x-ndjson': 'An event a line, as in `result`.' };

export const eventsSchema = listSchema(eventSchema).extend({
  nextCursor: z.string().optional().meta({ description: 'For the rest, where there is more.' }),
  lastCursor: z
    .string()
    .optional()
    .meta({ description: 'After the last event here; with `asc`, later events follow it.' }),
});

export interface EventResponse {
  readonly id: string;
  readonly sequence: string;
  readonly creationDate: string;
  readonly type: string;
  readonly aggregate: { readonly type: string; readonly id: string };
  readonly resourceOwner?: string;
  readonly editor?: { readonly userId: string };
  readonly fields?: readonly string[];
  readonly payload?: Readonly<Record<string, unknown>>;
}

export function eventResponse(event: LoggedEvent): EventResponse {
  const { place, sequence, createdAt, type, aggregateType, aggregateId, orgId, actorId, fields, data } =
    event;
  return {
    id: place.position,
    sequence,
    creationDate: createdAt.toISOString(),
    type,
    aggregate: { type: aggregateType, id: aggregateId },
    ...(orgId !== null && { resourceOwner: orgId }),
    ...(actorId !== null && { editor: { userId: actorId } }),
    ...(fields.length > 0 && { fields }),
    ...(Object.keys(data).length > 0 && { payload: data }),
  };
}

export type EventsResponse = Omit<ListResponse<EventResponse>, 'details'> & {
  readonly details: Omit<ListResponse<EventResponse>['details'], 'totalResult'>;
  readonly nextCursor?: string;
  readonly lastCursor?: string;
};

/** As every list (protocol §4), but that nobody counts the whole log. */
export function eventsResponse(page: EventPage): EventsResponse {
  const { events, nextCursor, lastCursor, processedSequence, viewedAt } = page;
  return {
    details: { processedSequence, viewTimestamp: viewedAt.toISOString() },
    result: events.map(eventResponse),
    ...(nextCursor !== undefined && { nextCursor }),
    ...(lastCursor !== undefined && { lastCursor }),
  };
}
