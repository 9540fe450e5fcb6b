import { Injectable } from '@nestjs/common';
import { EventLog } from '../../domain/events/event-log.js';
import type { EventFilter } from '../../domain/events/events.store.js';
import { eventAnswer } from '../shared/schemas/event.schemas.js';

/** Of each list, newest first. The copy says where older ones are left out: the organization has the whole log. */
const MOST_EVENTS = 10_000;

/** Events that somebody may have a copy of. Who else did something is left out, since their data is theirs. */
@Injectable()
export class OwnEvents {
  constructor(private readonly events: EventLog) {}

  async find(
    self: string,
    filter: EventFilter,
  ): Promise<{ readonly shown: readonly object[]; readonly leftOut: boolean }> {
    const shown: object[] = [];
    for await (const events of this.events.all(filter, { cursor: undefined, ascending: false })) {
      for (const event of events) {
        if (shown.length === MOST_EVENTS) return { shown, leftOut: true };
        const { editor, ...rest } = eventAnswer.parse(event);
        shown.push(editor?.userId === self ? { ...rest, editor } : rest);
      }
    }
    return { shown, leftOut: false };
  }
}
