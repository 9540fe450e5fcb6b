import { z } from 'zod';
import type { EventPage, NamedEvent, NamedObject } from '../../../domain/events/event-log.js';
import { EVENT_AGGREGATES, EVENT_TYPE_NAMES } from '../../../domain/events/event-types.js';
import type { EventFilter, LoggedEvent } from '../../../domain/events/events.store.js';
import { shownEvent } from '../../../domain/events/shown-event.js';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { answerFrom, shownTime } from '../answers.js';
import { listWire } from '../lists.js';
import { condition, momentCondition } from '../search-conditions.js';
import { idSchema } from './answer-schemas.js';

const MOST_EVENTS = 1000;
const USUAL_EVENTS = 100;
/** Each is looked up on its own. */
const MOST_TYPES = 20;

const limitRule = `must be a whole number from 1 to ${MOST_EVENTS}`;
const query = z
  .strictObject({
    cursor: z.string().max(200, 'is too long').optional().meta({
      description: '`nextCursor` or `lastCursor` of a search with the same conditions; it goes on after it.',
    }),
    limit: z
      .union([z.number(), z.string().regex(/^[0-9]{1,4}$/)], { error: limitRule })
      .transform(Number)
      .refine((value) => Number.isInteger(value) && value >= 1 && value <= MOST_EVENTS, limitRule)
      .optional()
      .meta({ description: `${USUAL_EVENTS} unless given.` }),
    asc: z.boolean().default(false).meta({ description: 'The oldest first.' }),
  })
  .default({ asc: false });

const id = condition();
const moment = momentCondition();

const conditions = {
  query,
  createdFrom: moment,
  createdBefore: moment,
  editorUserId: id.meta({ description: 'Who did it: a user, or `SCIM token <id>`.' }),
  aggregateType: z
    .enum(EVENT_AGGREGATES, { error: 'is none of the kinds of things that docs/events.md lists' })
    .optional()
    .meta({ description: 'What kind of thing it was done to.' }),
  aggregateId: id.meta({ description: 'The thing that it was done to.' }),
  types: z
    .array(z.enum(EVENT_TYPE_NAMES, { error: 'is none of the types that docs/events.md lists' }))
    .min(1, 'must not be empty')
    .max(MOST_TYPES, `must have at most ${MOST_TYPES} entries`)
    .optional()
    .meta({ description: 'Any of these.' }),
};

const inInstance = { organizationId: id };

const EXAMPLE = {
  examples: [
    {
      query: { limit: 20, asc: true },
      createdFrom: '2030-01-31T12:00:00Z',
      aggregateType: 'user',
    },
  ],
};

/** Bodies of `…/events/_search`; none is an empty one. */
export const eventSearchBody = z.strictObject(conditions).meta(EXAMPLE).prefault({}).transform(askedEvents);
export const instanceEventSearchBody = z
  .strictObject({ ...conditions, ...inInstance })
  .meta(EXAMPLE)
  .prefault({})
  .transform(askedEvents);

type EventSearch = z.output<z.ZodObject<typeof conditions>> &
  Partial<z.output<z.ZodObject<typeof inInstance>>>;

export interface AskedEvents {
  readonly filter: EventFilter;
  readonly cursor: string | undefined;
  readonly ascending: boolean;
  readonly limit: number | undefined;
}

function askedEvents({ query: page, ...asked }: EventSearch): AskedEvents {
  return {
    filter: {
      orgId: asked.organizationId as OrgId | undefined,
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

const NAME_RULES =
  'What it is called now, where it has a name, still exists and belongs to the same organization. Not in a stream.';
const called = z.object({
  type: z.string(),
  id: idSchema,
  name: z.string().optional().meta({ description: NAME_RULES }),
  projectId: idSchema
    .optional()
    .meta({ description: 'Of an application that has a name here: its project.' }),
});

/** An event as it is read; with names where it is part of a page. */
export const eventAnswer = answerFrom(
  z.object({
    id: z.string().regex(/^\d+$/).meta({ description: 'No other event has it.' }),
    sequence: z.string().regex(/^\d+$/).meta({ description: 'Raised by each change of the thing.' }),
    creationDate: shownTime,
    type: z.string().meta({ description: 'One of those in docs/events.md, or of an older release.' }),
    aggregate: called.meta({ description: 'The thing that it was done to.' }),
    target: called.optional().meta({
      description:
        'What that thing belongs to, or is about: the user of a role assignment, the project of an application. Not in a stream.',
    }),
    resourceOwner: z
      .string()
      .optional()
      .meta({ description: 'The organization that it belongs to; none for what is about the instance.' }),
    editor: z
      .object({ userId: idSchema })
      .optional()
      .meta({ description: 'Who did it; nobody where the service did it by itself.' }),
    fields: z.array(z.string()).readonly().optional().meta({ description: 'Names of what changed.' }),
    payload: z.record(z.string(), z.unknown()).optional().meta({ description: 'Ids, states and counts.' }),
  }),
  (event: LoggedEvent & Partial<NamedEvent>) => {
    const { aggregate, ...shown } = shownEvent(event);
    return {
      ...shown,
      aggregate: calledAs(event.subject ?? aggregate),
      target: event.target && calledAs(event.target),
    };
  },
);

function calledAs({ projectId, ...thing }: NamedObject) {
  return { ...thing, projectId: projectId ?? undefined };
}

export const SEARCH_RULES =
  'All conditions must hold; `types` are any of several. Newest first, unless `asc`. Pages go on by `cursor`, which skips and ' +
  'repeats nothing when events are written meanwhile. With `Accept: application/x-ndjson` all events are streamed, one a ' +
  'line: for an hour at most, and as long as the caller may see them. A stream that is cut off has no proper end.';
export const EVENT_STREAM = { 'application/x-ndjson': 'An event a line, as in `result`.' };

/** As every list (protocol §4), but that nobody counts the whole log. */
export const eventsAnswer = answerFrom(
  listWire(eventAnswer).extend({
    nextCursor: z.string().optional().meta({ description: 'For the rest, where there is more.' }),
    lastCursor: z
      .string()
      .optional()
      .meta({ description: 'After the last event here; with `asc`, later events follow it.' }),
  }),
  ({ events, processedSequence, viewedAt, ...cursors }: EventPage) => ({
    ...cursors,
    details: { processedSequence, viewTimestamp: viewedAt.toISOString() },
    result: events,
  }),
);
