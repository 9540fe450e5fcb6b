import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ResolveClientDocument } from '../../domain/client-registration/documents/resolve-client-document.js';
import { PushedAuthorizationEndpoint } from '../../domain/pushed-authorization/pushed-authorization-endpoint.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { ClientRequests } from './client-requests.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** The pushed authorization request endpoint (RFC 9126 §2). */
@Controller()
@UseFilters(OAuthErrorFilter)
export class PushedAuthorizationController {
  constructor(
    private readonly documents: ResolveClientDocument,
    private readonly endpoint: PushedAuthorizationEndpoint,
    private readonly requests: ClientRequests,
    private readonly limits: AddressLimits,
  ) {}

  @Post('oauth/v2/par')
  @HttpCode(201)
  async push(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.requests.answer('pushed_authorization', request, reply, async (credentials, proof) => {
      await this.documents.execute(credentials.parameters.get('client_id'), request.ip);
      return await this.endpoint.answer(credentials, proof, (application) =>
        this.limits.admitPushed(request, application),
      );
    });
  }
}
