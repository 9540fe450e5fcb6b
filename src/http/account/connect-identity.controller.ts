import { Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import { addressesAt } from '../shared/pages/external-callback.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { IDENTITIES_PATH } from './identities.controller.js';
import { doneAt } from './notices.js';

/** The reader goes to a provider, to come back with one identity more. */
@AccountController(`${IDENTITIES_PATH}/connect`)
export class ConnectIdentityController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly begin: BeginExternalSignIn,
    private readonly config: Config,
  ) {}

  @Post()
  async connect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, 'connect', IDENTITIES_PATH);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const id = (form.get('target') ?? '') as IdentityProviderId;
    const { id: linkSessionId, orgId, userAgentId } = visit.session;
    const addresses = addressesAt(this.config.app.issuer.url, id);
    const begun = await this.begin.toLink(orgId, userAgentId, { linkSessionId }, id, addresses);
    if (begun.kind !== 'begun') {
      return void redirectTo(reply, doneAt(IDENTITIES_PATH, 'identityNotAdded'), 303);
    }
    this.visits.send(request, reply, visit, (page) =>
      renderSendOnPage({ ...page, url: begun.url, provider: begun.provider }),
    );
  }
}
