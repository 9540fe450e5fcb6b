import { Controller, Get, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../../domain/shared/errors.js';
import { CheckAccessToken } from '../../domain/tokens/check-access-token.js';
import { UserinfoClaims } from '../../domain/tokens/userinfo-claims.js';
import { OAuthErrorFilter } from '../shared/oauth-error.filter.js';
import { FormBody, readForm } from '../shared/oauth-form.js';

// b64token of RFC 6750 §2.1
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The userinfo endpoint (OpenID Connect Core §5.3): GET, or POST with the token in the header or the form body. */
@Controller()
@UseFilters(OAuthErrorFilter)
export class UserinfoController {
  constructor(
    private readonly checkAccessToken: CheckAccessToken,
    private readonly userinfoClaims: UserinfoClaims,
  ) {}

  @Get('oidc/v1/userinfo')
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply);
  }

  @Post('oidc/v1/userinfo')
  @HttpCode(200)
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(request, reply);
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = presentedToken(request);
    if (token === undefined) {
      // no error code when nothing was tried (RFC 6750 §3.1)
      return void reply
        .code(401)
        .headers({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' })
        .send({ error: 'invalid_request', error_description: 'access token missing' });
    }
    const live = await this.checkAccessToken.check(token);
    if (live === undefined) throw new OAuthError('invalid_token', 'access token is invalid or expired');
    void reply
      .headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
      .send(await this.userinfoClaims.of(live));
  }
}

/** The one token a request presents; never from the query (RFC 9700 §4.3.2). @throws OAuthError for two or a bad one */
function presentedToken(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const form = request.body instanceof FormBody ? readForm(request) : undefined;
  const inBody = form?.get('access_token');
  if (form?.isRepeated('access_token') === true)
    throw new OAuthError('invalid_token', 'the access token was sent twice');
  if (authorization === undefined) return inBody;
  const inHeader = BEARER.exec(authorization)?.[1];
  if (inHeader === undefined)
    throw new OAuthError('invalid_token', 'the Authorization header has no bearer token');
  if (inBody !== undefined) throw new OAuthError('invalid_token', 'the access token was sent twice');
  return inHeader;
}
