import { Body, Injectable, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { EventPage } from '../../../domain/events/event-log.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { ActingOrg } from '../caller.js';
import { Operation } from '../operation.js';
import type { OwnerScope } from '../owner-scope.js';
import {
  EVENT_STREAM,
  eventsAnswer,
  eventSearchBody,
  instanceEventSearchBody,
  SEARCH_RULES,
} from '../schemas/event.schemas.js';
import { SearchEvents } from '../search-events.js';

const SCOPES = {
  organization: { of: 'the organization', permission: 'events.read', searchBody: eventSearchBody },
  instance: {
    of: 'the instance and of all organizations',
    permission: 'iam.events.read',
    searchBody: instanceEventSearchBody,
  },
} as const;

/** The audit log: of the organization that the call acts in, or of all the instance. */
export function eventsOf(scope: OwnerScope) {
  const { of, permission, searchBody } = SCOPES[scope];

  @Injectable()
  abstract class ScopedEventsController {
    constructor(private readonly events: SearchEvents) {}

    @Post('_search')
    @Operation({
      summary: `Search the audit log of ${of}`,
      description: SEARCH_RULES,
      permission,
      answer: eventsAnswer,
      stream: EVENT_STREAM,
    })
    async search(
      @ActingOrg() orgId: OrgId,
      @Body({ schema: searchBody }) asked: z.output<typeof searchBody>,
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<EventPage | StreamableFile> {
      const filter = scope === 'organization' ? { ...asked.filter, orgId } : asked.filter;
      return await this.events.answer(request, reply, { ...asked, filter }, permission);
    }
  }
  return ScopedEventsController;
}
