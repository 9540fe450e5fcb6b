import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TokenEndpoint } from '../../domain/grants/token-endpoint.js';
import { ClientRequests } from './client-requests.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** The token endpoint (RFC 6749 §3.2). */
@Controller()
@UseFilters(OAuthErrorFilter)
export class TokenController {
  constructor(
    private readonly endpoint: TokenEndpoint,
    private readonly requests: ClientRequests,
  ) {}

  @Post('oauth/v2/token')
  @HttpCode(200)
  async token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.requests.answer('token', request, reply, (credentials, proof) =>
      this.endpoint.answer(credentials, proof),
    );
  }
}
