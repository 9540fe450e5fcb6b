import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IntrospectionEndpoint } from '../../domain/grants/introspection-endpoint.js';
import { ClientRequests } from './client-requests.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** RFC 9701 §4: whoever wants the answer signed accepts this. */
const SIGNED = 'application/token-introspection+jwt';

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
    const isSignedAsked = accepts(request.headers.accept ?? '', SIGNED);
    await this.requests.answer('introspection', request, reply, async (credentials) => {
      const answer = await this.endpoint.answer(credentials, isSignedAsked);
      // not before there is one: errors are JSON
      if (typeof answer === 'string') void reply.type(SIGNED);
      return answer;
    });
  }
}

/** Only if named explicitly, case-insensitively, and not with `q=0` (RFC 9110 §12.4.2, §12.5.1): wildcards get JSON. */
function accepts(header: string, type: string): boolean {
  return header.split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === type && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
