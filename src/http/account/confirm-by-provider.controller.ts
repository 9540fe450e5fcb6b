import { Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { addressesAt } from '../shared/pages/external-callback.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { AccountController } from './account-controller.js';
import { CONFIRM_BY_PROVIDER, ConfirmPages } from './confirm-pages.js';
import { SignInAgain } from './sign-in-again.js';
import { accountPage, WantedPage } from './wanted-page.js';

/** The fresh proof by an identity that the reader has at a provider. */
@AccountController(CONFIRM_BY_PROVIDER)
export class ConfirmByProviderController {
  constructor(
    private readonly pages: ConfirmPages,
    private readonly begin: BeginExternalSignIn,
    private readonly signInAgain: SignInAgain,
    private readonly wanted: WantedPage,
    private readonly limits: AddressLimits,
    private readonly config: Config,
  ) {}

  /** To a provider that knows the reader, and back with the proof. */
  @Post()
  async leave(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.pages.submitted(request, reply);
    if (submitted === undefined) return;
    const { visit, form, next } = submitted;
    const id = (form.get('target') ?? '') as IdentityProviderId;
    await this.limits.admitChallenge(request);
    const addresses = addressesAt(this.config.app.issuer.url, id);
    const begun = await this.begin.toConfirm(visit.session, id, addresses);
    if (begun.kind === 'unavailable')
      return await this.pages.show(request, reply, visit, next, 'idp-unavailable');
    if (begun.kind !== 'begun') return await this.signInAgain.send(request, reply, visit, next);
    this.wanted.remember(reply, accountPage(next));
    this.pages.sendOn(request, reply, visit, begun);
  }
}
