import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReceiveProviderLogout } from '../../domain/external-sign-in/sign-out/receive-provider-logout.js';
import { SignOutAtProvider } from '../../domain/external-sign-in/sign-out/sign-out-at-provider.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import { ProviderRefused, ProviderUnavailable } from '../../domain/identity-providers/provider-client.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { Log } from '../../domain/shared/log.js';
import { FormBody, readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { PathId } from '../shared/path-id.js';
import { AddressLimits } from '../shared/server/address-limits.js';

/**
 * Where an identity provider says that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8), and where
 * it sends them back to.
 */
@Controller('login/idps/:id')
export class ProviderLogoutController {
  constructor(
    private readonly logout: ReceiveProviderLogout,
    private readonly atProvider: SignOutAtProvider,
    private readonly ssoCookie: SsoCookie,
    private readonly limits: AddressLimits,
    private readonly log: Log,
  ) {}

  /** Back from a sign-out there, to where the one here led. Anything else gets the page that asks. */
  @Get('signed_out')
  async signedOut(
    @Param('id', new PathId(identityProviderNotFound)) id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.limits.admitChallenge(request);
    const state = readQuery(request).get('state') ?? '';
    const back = await this.atProvider.finish(id, state, this.ssoCookie.read(request));
    void redirectTo(reply, back?.target ?? '/logout', 302);
  }

  @Post('backchannel_logout')
  async receive(
    @Param('id', new PathId(identityProviderNotFound)) id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    void reply.header('cache-control', 'no-store');
    const form = new URLSearchParams(request.body instanceof FormBody ? request.body.text : '');
    const tokens = form.getAll('logout_token');
    const [token = ''] = tokens;
    if (token === '' || tokens.length > 1) return refuse(reply, 400, 'logout_token is missing or repeated');
    await this.limits.admitProviderLogout(request);
    try {
      await this.logout.execute(id, token);
    } catch (error) {
      if (error instanceof ProviderUnavailable) {
        this.log.warn('a logout token could not be checked', { providerId: id, reason: error.message });
        return refuse(reply, 503, 'the keys of the provider cannot be read');
      }
      if (!(error instanceof ProviderRefused)) throw error;
      this.log.info('a logout token is refused', { providerId: id, reason: error.message });
      return refuse(reply, 400, 'invalid logout_token');
    }
    void reply.code(200).send();
  }
}

function refuse(reply: FastifyReply, status: number, description: string): void {
  const error = status === 400 ? 'invalid_request' : 'temporarily_unavailable';
  void reply.code(status).send({ error, error_description: description });
}
