import { Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventLog, type EventPage } from '../../domain/events/event-log.js';
import type { LoggedEvent } from '../../domain/events/events.store.js';
import type { Permission } from '../../domain/permissions/permissions.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { bounded } from './bounded-stream.js';
import { callerOf, organizationOf, type Caller } from './caller.js';
import { RecheckPermission } from './recheck-permission.js';
import { eventAnswer, pageLimit, requireNoLimit, type AskedEvents } from './schemas/event.schemas.js';
import { RequestSlots } from './server/request-slots.js';

const NDJSON = 'application/x-ndjson';
/** To read more, continue with the time of the last event. */
const LONGEST_MS = 3_600_000;

/** The audit log by pages, or as a stream for whoever asks for one. */
@Injectable()
export class SearchEvents {
  constructor(
    private readonly log: EventLog,
    private readonly slots: RequestSlots,
    private readonly recheck: RecheckPermission,
  ) {}

  /** @param permission of the caller, which a stream checks again while it is open */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: AskedEvents,
    permission: Permission,
  ): Promise<EventPage | StreamableFile> {
    const orgId = organizationOf(request);
    const caller = callerOf(request);
    if (wantsStream(request)) {
      requireNoLimit(asked);
      void reply.header('content-disposition', 'attachment; filename="events.ndjson"');
      return await this.stream(asked, caller, orgId, this.recheck.by(request, permission));
    }
    const giveBack = this.slots.take('event search', caller.userId, orgId);
    try {
      return await this.log.page(asked.filter, { ...asked, limit: pageLimit(asked) });
    } finally {
      giveBack();
    }
  }

  private async stream(
    asked: AskedEvents,
    { userId }: Caller,
    orgId: OrgId,
    recheck: () => Promise<void>,
  ): Promise<StreamableFile> {
    const giveBack = this.slots.take('event stream', userId, orgId);
    const pages = this.log.all(asked.filter, asked);
    try {
      // errors in the query are reported with a status
      const first = await pages.next();
      const readable = bounded(
        (taken) => linesOf(first, pages, recheck, taken),
        LONGEST_MS,
        'a stream of events',
      );
      readable.once('close', giveBack);
      return new StreamableFile(readable, { type: NDJSON });
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}

function wantsStream({ headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes(NDJSON);
}

async function* linesOf(
  first: IteratorResult<readonly LoggedEvent[], void>,
  rest: AsyncGenerator<readonly LoggedEvent[]>,
  recheck: () => Promise<void>,
  taken: () => void,
): AsyncGenerator<string> {
  if (first.done === true) return;
  yield textOf(first.value);
  for await (const events of rest) {
    taken();
    await recheck();
    yield textOf(events);
  }
}

function textOf(events: readonly LoggedEvent[]): string {
  return events.map((event) => `${JSON.stringify(eventAnswer.parse(event))}\n`).join('');
}
