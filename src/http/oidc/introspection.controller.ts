import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IntrospectionEndpoint } from '../../domain/grants/introspection-endpoint.js';
import { OAuthErrorFilter } from '../shared/oauth-error.filter.js';
import { ClientRequests } from './client-requests.js';

/** The introspection endpoint (RFC 7662 §2). */
@Controller()
@UseFilters(OAuthErrorFilter)
export class IntrospectionController {
  constructor(
    private readonly endpoint: IntrospectionEndpoint,
    private readonly requests: ClientRequests,
  ) {}

  @Post('oauth/v2/introspect')
  @HttpCode(200)
  async introspect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.requests.answer('introspection', request, reply, (parameters, authorization) =>
      this.endpoint.answer(parameters, authorization),
    );
  }
}
