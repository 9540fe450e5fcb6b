import { Controller, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../../domain/shared/errors.js';
import { TokenEndpoint } from '../../domain/grants/token-endpoint.js';
import { AddressLimits } from '../shared/address-limits.js';
import { OAuthErrorFilter } from '../shared/oauth-error.filter.js';
import { readFormOnly } from '../shared/oauth-form.js';

/** What somebody guessing would run into; other refusals are honest clients' mistakes. */
const GUESSES = new Set(['invalid_client', 'invalid_grant']);

/** The token endpoint (RFC 6749 §3.2). */
@Controller()
@UseFilters(OAuthErrorFilter)
export class TokenController {
  constructor(
    private readonly endpoint: TokenEndpoint,
    private readonly limits: AddressLimits,
  ) {}

  @Post('oauth/v2/token')
  @HttpCode(200)
  async token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const limited = this.limits.checkToken(request);
    if (limited !== undefined) return void this.limits.refuse(reply, limited);
    const parameters = readFormOnly(request);
    const answer = await this.endpoint
      .answer(parameters, request.headers.authorization)
      .catch(async (error: unknown) => {
        if (error instanceof OAuthError && GUESSES.has(error.code))
          await this.limits.countTokenFailure(request);
        throw error;
      });
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer);
  }
}
