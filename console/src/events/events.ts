import typesDe from '../../../locales/console/de/event-types.json';
import de from '../../../locales/console/de/events.json';
import typesEn from '../../../locales/console/en/event-types.json';
import en from '../../../locales/console/en/events.json';
import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import { timesOf, type TimeSpan } from '../shared/time-filters.tsx';

const t = words({ en, de });

type EventPage = Answered<'/management/v1/events/_search', 'post'>;
type Search = Sent<'/management/v1/events/_search', 'post'>;
export type LoggedEvent = NonNullable<EventPage['result']>[number];

/** What each type of event says. */
export const EVENT_TYPES: Readonly<Record<string, string>> = words({ en: typesEn, de: typesDe });
export const AGGREGATES: Readonly<Record<string, string>> = t.aggregates;

/** The filters of the log, as its address has them. */
export interface EventFilters extends TimeSpan {
  readonly type?: string | undefined;
  readonly aggregate?: string | undefined;
  readonly id?: string | undefined;
  readonly actor?: string | undefined;
  /** Of the instance's log: those of one organization alone. */
  readonly organization?: string | undefined;
}

/** Whose log: that of an organization, or of the instance with all of them. */
export type Scope = { readonly org: string } | 'instance';

type Types = NonNullable<NonNullable<Search>['types']>;
type AggregateType = NonNullable<NonNullable<Search>['aggregateType']>;

/** What the service does not know is left out: an address that somebody typed finds more, and no error. */
function conditionsOf({ type = '', aggregate = '', id, actor, from, to }: EventFilters): Search {
  return {
    ...(Object.hasOwn(EVENT_TYPES, type) && { types: [type] as Types }),
    ...(Object.hasOwn(AGGREGATES, aggregate) && { aggregateType: aggregate as AggregateType }),
    ...(id !== undefined && { aggregateId: id }),
    ...(actor !== undefined && { editorUserId: actor }),
    ...timesOf({ from, to }),
  };
}

const PAGE = 50;

export async function findEvents(
  scope: Scope,
  filters: EventFilters,
  cursor: string | undefined,
  oldestFirst = false,
): Promise<EventPage> {
  const query = { limit: PAGE, asc: oldestFirst, ...(cursor !== undefined && { cursor }) };
  const body = { ...conditionsOf(filters), query };
  const answer =
    scope === 'instance'
      ? await answered(api.POST('/admin/v1/events/_search', { body: ofInstance(body, filters) }))
      : await answered(
          api.POST('/management/v1/events/_search', { params: inOrganization(scope.org), body }),
        );
  // a text is what the export is answered with
  return answer as EventPage;
}

function ofInstance(body: NonNullable<Search>, { organization }: EventFilters) {
  return { ...body, ...(organization !== undefined && { organizationId: organization }) };
}

/** All of them that fit, an event a line. */
export async function streamEvents(scope: Scope, filters: EventFilters): Promise<ReadableStream<Uint8Array>> {
  const body = { ...conditionsOf(filters), query: { asc: true } };
  const how = { headers: { accept: 'application/x-ndjson' }, parseAs: 'stream' as const };
  const call =
    scope === 'instance'
      ? api.POST('/admin/v1/events/_search', { body: ofInstance(body, filters), ...how })
      : api.POST('/management/v1/events/_search', { params: inOrganization(scope.org), body, ...how });
  return (await answered(call)) as ReadableStream<Uint8Array>;
}
