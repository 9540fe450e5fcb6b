import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { ReceiveSamlLogout } from '../../domain/external-sign-in/sign-out/receive-saml-logout.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import { ProviderRefused } from '../../domain/identity-providers/provider-client.js';
import type { SamlMessage } from '../../domain/identity-providers/saml/saml-client.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { Log } from '../../domain/shared/log.js';
import { FormBody } from '../shared/oauth-form.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { addressesAt, signedOutPath } from '../shared/pages/external-callback.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { PathId } from '../shared/path-id.js';
import { AddressLimits } from '../shared/server/address-limits.js';

const Provider = () => Param('id', new PathId(identityProviderNotFound));

/**
 * The single logout service of SAML (saml-profiles-2.0-os §4.4), by both bindings: what a provider asks, and what it answers to a
 * sign-out that was begun here.
 */
@Controller('login/idps/:id/single_logout')
export class SamlLogoutController {
  constructor(
    private readonly logout: ReceiveSamlLogout,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  @Get()
  async byQuery(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const at = request.url.indexOf('?');
    const query = at === -1 ? '' : request.url.slice(at + 1);
    const parameters = new URLSearchParams(query);
    if (parameters.has('SAMLResponse')) return this.back(reply, id, parameters);
    await this.receive(request, reply, id, { query });
  }

  @Post()
  async byForm(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = new URLSearchParams(request.body instanceof FormBody ? request.body.text : '');
    if (form.has('SAMLResponse')) return this.back(reply, id, form);
    const relayState = form.get('RelayState') ?? undefined;
    await this.receive(request, reply, id, { posted: form.get('SAMLRequest') ?? '' }, relayState);
  }

  /**
   * Back from a sign-out there. What the answer says of it changes nothing, and is not looked at: the sessions here have ended before.
   * RelayState is the state of it, which is worth something in the browser that was sent, once (`signed_out`); that has no cookie
   * where another site posts.
   */
  private back(reply: FastifyReply, id: IdentityProviderId, parameters: URLSearchParams): void {
    const query = new URLSearchParams({ state: parameters.get('RelayState') ?? '' });
    void redirectTo(reply, `${signedOutPath(id)}?${query.toString()}`, 303);
  }

  private async receive(
    request: FastifyRequest,
    reply: FastifyReply,
    providerId: IdentityProviderId,
    message: SamlMessage,
    relayState?: string,
  ): Promise<void> {
    void reply.header('cache-control', 'no-store');
    await this.limits.admitProviderLogout(request);
    const addresses = addressesAt(this.config.app.issuer.url, providerId);
    try {
      const url = await this.logout.execute({ providerId, message, relayState, addresses });
      void redirectTo(reply, url, 303);
    } catch (error) {
      if (!(error instanceof ProviderRefused)) throw error;
      this.log.info('a request to sign out is refused', { providerId, reason: error.message });
      void this.errorPages.send(request, reply, 'sign-out-request', 400);
    }
  }
}
