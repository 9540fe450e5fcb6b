import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RevocationEndpoint } from '../../domain/grants/revocation-endpoint.js';
import { ClientRequests } from './client-requests.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** The revocation endpoint (RFC 7009 §2): 200 with an empty object. */
@Controller()
@UseFilters(OAuthErrorFilter)
export class RevocationController {
  constructor(
    private readonly endpoint: RevocationEndpoint,
    private readonly requests: ClientRequests,
  ) {}

  @Post('oauth/v2/revoke')
  @HttpCode(200)
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.requests.answer('revocation', request, reply, (credentials) =>
      this.endpoint.answer(credentials),
    );
  }
}
