import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { ReceiveSamlResponse } from '../../domain/external-sign-in/receive-saml-response.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { FormBody } from '../shared/oauth-form.js';
import { addressesAt, callbackPath } from '../shared/pages/external-callback.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo, repeatAsGet } from '../shared/pages/redirect.js';
import { PathId } from '../shared/path-id.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { ExternalReturn } from './external-return.js';

const Provider = () => Param('id', new PathId(identityProviderNotFound));

/** Back from a provider. Each has an address of its own for its answers. */
@Controller('login/idps/:id/callback')
export class ExternalCallbackController {
  constructor(
    private readonly returns: ExternalReturn,
    private readonly saml: ReceiveSamlResponse,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
    private readonly config: Config,
  ) {}

  /**
   * A provider that posts its answer comes without the cookie of this browser: the same is asked for again, and of SAML, whose
   * answers are too large for that, what is kept of it.
   */
  @Post()
  async repeat(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = new URLSearchParams(request.body instanceof FormBody ? request.body.text : '');
    const [response] = form.getAll('SAMLResponse');
    if (response === undefined) return void repeatAsGet(request, reply, callbackPath(id));
    const relayState = form.get('RelayState') ?? '';
    await this.limits.admitExternalAnswer(request);
    const posted = {
      providerId: id,
      response,
      relayState,
      addresses: addressesAt(this.config.app.issuer.url, id),
    };
    const kept = await this.saml.execute(posted);
    if (kept === undefined) return this.replies.sendExpired(request, reply, undefined);
    const query = new URLSearchParams({ state: relayState, answer: kept.handle ?? '' });
    void redirectTo(reply, `${callbackPath(id)}?${query.toString()}`, 303);
  }

  @Get()
  async callback(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { searchParams } = new URL(request.url, this.config.app.issuer.url);
    await this.returns.finish(request, reply, id, searchParams);
  }
}
