import type { LoggedEvent } from './events.store.js';

/** An event as whoever may see it is shown it: by a search, or by a webhook. Its times are those of JSON. */
export function shownEvent(event: LoggedEvent) {
  const { place, createdAt, aggregateType, aggregateId, orgId, actorId, fields, data, sequence, type } =
    event;
  return {
    id: place.position,
    sequence,
    creationDate: createdAt,
    type,
    aggregate: { type: aggregateType, id: aggregateId },
    resourceOwner: orgId ?? undefined,
    editor: actorId === null ? undefined : { userId: actorId },
    fields: fields.length > 0 ? fields : undefined,
    payload: Object.keys(data).length > 0 ? data : undefined,
  };
}
