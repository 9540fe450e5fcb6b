import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventLog, type EventPage } from '../../domain/events/event-log.js';
import type { LoggedEvent } from '../../domain/events/events.store.js';
import type { Permission } from '../../domain/permissions/permissions.js';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { CheckAccessToken } from '../../domain/tokens/check-access-token.js';
import { callerOf, organizationOf, type Caller } from './caller.js';
import { eventAnswer, pageLimit, requireNoLimit, type AskedEvents } from './event.schemas.js';
import { tokenOf } from './presented-token.js';
import { UploadSlots } from './upload-slots.js';

const NDJSON = 'application/x-ndjson';
/** Whoever wants more goes on with the time of the last event. */
const LONGEST_MS = 3_600_000;
/** A reader that takes nothing for so long has gone, whatever its connection says. */
const LONGEST_PAUSE_MS = 60_000;

/** The audit log by pages, or as a stream for whoever asks for one. */
@Injectable()
export class SearchEvents {
  constructor(
    private readonly log: EventLog,
    private readonly slots: UploadSlots,
    private readonly checkAccessToken: CheckAccessToken,
    private readonly requirePermission: RequirePermission,
  ) {}

  /** @param permission that the caller had for it, which a stream asks for again while it goes on */
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
      return await this.stream(asked, caller, orgId, this.lookAgain(request, caller, orgId, permission));
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
    lookAgain: () => Promise<void>,
  ): Promise<StreamableFile> {
    const giveBack = this.slots.take('event stream', userId, orgId);
    const pages = this.log.all(asked.filter, asked);
    try {
      // what is wrong with the question is told with a status
      const first = await pages.next();
      const readable = bounded((taken) => linesOf(first, pages, lookAgain, taken));
      readable.once('close', giveBack);
      return new StreamableFile(readable, { type: NDJSON });
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** As if they asked anew: a token or a right that ends is the end of the stream. */
  private lookAgain(
    request: FastifyRequest,
    { acting }: Caller,
    orgId: OrgId,
    permission: Permission,
  ): () => Promise<void> {
    const token = tokenOf(request);
    return async () => {
      if ((await this.checkAccessToken.check(token)) === undefined) {
        throw new ApiError('unauthenticated', 'Errors.Token.Invalid', 'AUTH-7fs1e');
      }
      await this.requirePermission.check(acting, orgId, permission);
    };
  }
}

function wantsStream({ headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes(NDJSON);
}

async function* linesOf(
  first: IteratorResult<readonly LoggedEvent[], void>,
  rest: AsyncGenerator<readonly LoggedEvent[]>,
  lookAgain: () => Promise<void>,
  taken: () => void,
): AsyncGenerator<string> {
  if (first.done === true) return;
  yield textOf(first.value);
  for await (const events of rest) {
    taken();
    await lookAgain();
    yield textOf(events);
  }
}

function textOf(events: readonly LoggedEvent[]): string {
  return events.map((event) => `${JSON.stringify(eventAnswer.parse(event))}\n`).join('');
}

/** A stream that is broken off has no proper end, so that nobody takes it for the whole. */
function bounded(lines: (taken: () => void) => AsyncGenerator<string>): Readable {
  const readable: Readable = Readable.from(
    lines(() => pause.refresh()),
    { objectMode: false },
  );
  const endAfter = (ms: number, why: string): NodeJS.Timeout =>
    setTimeout(() => readable.destroy(new Error(`a stream of events ${why}`)), ms).unref();
  const whole = endAfter(LONGEST_MS, 'went on for too long');
  const pause = endAfter(LONGEST_PAUSE_MS, 'was not read');
  readable.once('close', () => {
    clearTimeout(whole);
    clearTimeout(pause);
  });
  return readable;
}
