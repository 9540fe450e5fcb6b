import type { LoggedEvent, ObjectReference } from './events.store.js';

/** What the ids in an event's payload are of: the one that says most first. */
const TARGETS = [
  ['userId', 'user'],
  ['applicationId', 'application'],
  ['projectId', 'project'],
] as const;

/**
 * What the object of an event belongs to, or is about: the user of a role assignment, the application of a key, the
 * project of an application.
 */
export function targetOf(event: LoggedEvent): ObjectReference | undefined {
  const { aggregateType, aggregateId, data, orgId } = event;
  // it is known by the id of the application
  if (aggregateType === 'client_guesses') return { type: 'application', id: aggregateId, orgId };
  for (const [field, type] of TARGETS) {
    const id = data[field];
    if (typeof id === 'string' && type !== aggregateType) return { type, id, orgId };
  }
  return undefined;
}

export function subjectOf({ aggregateType, aggregateId, orgId }: LoggedEvent): ObjectReference {
  return { type: aggregateType, id: aggregateId, orgId };
}

/** Two events of one page name the same thing by the same text. */
export function keyOf({ type, id, orgId }: ObjectReference): string {
  return JSON.stringify([type, id, orgId]);
}
