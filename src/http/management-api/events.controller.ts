import { HttpCode, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Documented } from '../shared/documented.js';
import {
  askedEvents,
  EVENT_STREAM,
  eventsSchema,
  readEventSearch,
  SEARCH_RULES,
  type EventsResponse,
} from '../shared/event-bodies.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { SearchEvents } from '../shared/search-events.js';

@ApiController('management/v1/events')
export class EventsController {
  constructor(private readonly events: SearchEvents) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('events.read')
  @Documented({
    summary: 'Search the audit log of the organization',
    description: SEARCH_RULES,
    body: readEventSearch,
    answer: eventsSchema,
    stream: EVENT_STREAM,
  })
  async search(
    @Call() call: ApiCall,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventsResponse | StreamableFile> {
    const asked = readEventSearch(call.body ?? {});
    return await this.events.answer(request, reply, askedEvents(asked, call.orgId), 'events.read');
  }
}
