import { Controller, Get, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config, type AppConfig } from '../../config/config.js';
import { signedBy } from '../../domain/applications/security-profile.js';
import { CheckPresentedToken, type PresentedToken } from '../../domain/dpop/check-presented-token.js';
import { OAuthError } from '../../domain/shared/errors.js';
import { KeySettings, servedFor } from '../../domain/signing-keys/key-settings.js';
import { SignAnswer } from '../../domain/tokens/jwt/sign-answer.js';
import { UserinfoClaims } from '../../domain/tokens/userinfo-claims.js';
import { DpopHeaders } from '../shared/dpop-headers.js';
import { FormBody, readForm } from '../shared/oauth-form.js';
import { bearer, presentedToken } from '../shared/presented-token.js';
import { ClientCertificates } from '../shared/server/client-certificates.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

// b64token of RFC 6750 §2.1; the other scheme is RFC 9449's (§7.1)
const PRESENTED = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The userinfo endpoint (OpenID Connect Core §5.3): GET, or POST with the token in the header or the form body. */
@Controller()
@UseFilters(OAuthErrorFilter)
export class UserinfoController {
  constructor(
    private readonly checkPresentedToken: CheckPresentedToken,
    private readonly userinfoClaims: UserinfoClaims,
    private readonly signAnswer: SignAnswer,
    private readonly dpopHeaders: DpopHeaders,
    private readonly certificates: ClientCertificates,
    private readonly config: Config,
    private readonly keys: KeySettings,
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
    const presented = presentedBy(request, reply, this.certificates, this.config.app);
    if (presented === undefined) {
      // no error code when nothing was tried (RFC 6750 §3.1)
      return void reply
        .code(401)
        .headers({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' })
        .send({ error: 'invalid_request', error_description: 'access token missing' });
    }
    if (presented.scheme === 'DPoP') await this.dpopHeaders.offerNonce(request, reply);
    const live = await this.checkPresentedToken.check(presented);
    if (live === undefined) throw new OAuthError('invalid_token', 'access token is invalid or expired');
    const claims = await this.userinfoClaims.of(live);
    const { userinfoAlgorithm: algorithm, clientId } = live;
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    if (algorithm === undefined) return void reply.send(claims);
    const by = signedBy(live, servedFor(algorithm, this.keys));
    const signed = await this.signAnswer.ofUserinfo(claims, clientId, by);
    void reply.type('application/jwt').send(signed);
  }
}

/** The one token a request presents; never from the query (RFC 9700 §4.3.2). @throws OAuthError for two or a bad one */
function presentedBy(
  request: FastifyRequest,
  reply: FastifyReply,
  certificates: ClientCertificates,
  app: AppConfig,
): PresentedToken | undefined {
  const { authorization } = request.headers;
  const form = request.body instanceof FormBody ? readForm(request) : undefined;
  const inBody = form?.get('access_token');
  if (form?.isRepeated('access_token') === true)
    throw new OAuthError('invalid_token', 'the access token was sent twice');
  if (authorization === undefined) {
    if (inBody === undefined) return undefined;
    // a token that is bound to a key comes in the header alone (RFC 9449 §7.1)
    return bearer(request, certificates, inBody);
  }
  const inHeader = presentedToken(request, reply, certificates, app, PRESENTED);
  if (inHeader === undefined)
    throw new OAuthError('invalid_token', 'the Authorization header has no bearer token');
  if (inBody !== undefined) throw new OAuthError('invalid_token', 'the access token was sent twice');
  return inHeader;
}
