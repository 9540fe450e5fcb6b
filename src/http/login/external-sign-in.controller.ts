import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { readQuery } from '../shared/oauth-form.js';
import { addressesAt } from '../shared/pages/external-callback.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { PathId } from '../shared/path-id.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { backTo } from './external-return.js';
import { FlowForms } from './flow-forms.js';

const Provider = () => Param('id', new PathId(identityProviderNotFound));

/** To a provider. */
@Controller('login/idps/:id')
export class ExternalSignInController {
  constructor(
    private readonly begin: BeginExternalSignIn,
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
    const begun = await this.begin.inFlow(
      flow,
      id,
      addressesAt(this.config.app.issuer.url, id),
      hintOf(request),
    );
    const url =
      begun.kind === 'begun'
        ? begun.url
        : backTo(flow.id, begun.kind === 'unknown' ? 'idp-refused' : 'idp-unavailable');
    void redirectTo(reply, url, 302);
  }
}

/** What somebody typed before they were sent there. */
function hintOf(request: FastifyRequest): string | undefined {
  const hint = readQuery(request).get('hint');
  return hint !== undefined && hint.length <= 200 && !/\p{Cc}/u.test(hint) ? hint : undefined;
}
