import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import { ReceiveSamlResponse } from '../../domain/external-sign-in/receive-saml-response.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import type { ServiceProviderAddresses } from '../../domain/identity-providers/saml-kind.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { AddressLimits } from '../shared/address-limits.js';
import { addressesAt, callbackPath } from '../shared/external-callback.js';
import { FlowReplies } from '../shared/flow-replies.js';
import { FormBody, readQuery } from '../shared/oauth-form.js';
import { PathId } from '../shared/path-id.js';
import { redirectTo, repeatAsGet } from '../shared/redirect.js';
import { backTo, ExternalReturn } from './external-return.js';
import { FlowForms } from './flow-forms.js';

const Provider = () => Param('id', new PathId(identityProviderNotFound));

/** To a provider and back. Each has an address of its own for its answers. */
@Controller('login/idps/:id')
export class ExternalSignInController {
  constructor(
    private readonly begin: BeginExternalSignIn,
    private readonly returns: ExternalReturn,
    private readonly saml: ReceiveSamlResponse,
    private readonly replies: FlowReplies,
    private readonly forms: FlowForms,
    private readonly limits: AddressLimits,
    private readonly config: Config,
  ) {}

  @Get()
  async start(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    await this.limits.admitChallenge(request);
    const begun = await this.begin.inFlow(flow, id, this.addresses(id), hintOf(request));
    const url =
      begun.kind === 'begun'
        ? begun.url
        : backTo(flow.id, begun.kind === 'unknown' ? 'idp-refused' : 'idp-unavailable');
    void redirectTo(reply, url, 302);
  }

  /**
   * A provider that posts its answer comes without the cookie of this browser: the same is asked for again, and of SAML, whose
   * answers are too large for that, what is kept of it.
   */
  @Post('callback')
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
    const posted = { providerId: id, response, relayState, addresses: this.addresses(id) };
    const kept = await this.saml.execute(posted);
    if (kept === undefined) return this.replies.sendExpired(request, reply, undefined);
    const query = new URLSearchParams({ state: relayState, answer: kept.handle ?? '' });
    void redirectTo(reply, `${callbackPath(id)}?${query.toString()}`, 303);
  }

  @Get('callback')
  async callback(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { searchParams } = new URL(request.url, this.config.app.issuer.url);
    await this.returns.finish(request, reply, id, searchParams);
  }

  private addresses(id: IdentityProviderId): ServiceProviderAddresses {
    return addressesAt(this.config.app.issuer.url, id);
  }
}

/** What somebody typed before they were sent there. */
function hintOf(request: FastifyRequest): string | undefined {
  const hint = readQuery(request).get('hint');
  return hint !== undefined && hint.length <= 200 && !/\p{Cc}/u.test(hint) ? hint : undefined;
}
