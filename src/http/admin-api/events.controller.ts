import { HttpCode, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Documented } from '../shared/documented.js';
import {
  askedEvents,
  EVENT_STREAM,
  eventsSchema,
  readInstanceEventSearch,
  SEARCH_RULES,
  type EventsResponse,
} from '../shared/event-bodies.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { SearchEvents } from '../shared/search-events.js';

@ApiController('admin/v1/events')
export class InstanceEventsController {
  constructor(private readonly events: SearchEvents) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('iam.events.read')
  @Documented({
    summary: 'Search the audit log of the instance and of all organizations',
    description: SEARCH_RULES,
    body: readInstanceEventSearch,
    answer: eventsSchema,
    stream: EVENT_STREAM,
  })
  async search(
    @Call() call: ApiCall,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventsResponse | StreamableFile> {
    const asked = readInstanceEventSearch(call.body ?? {});
    return await this.events.answer(request, reply, askedEvents(asked), 'iam.events.read');
  }
}
