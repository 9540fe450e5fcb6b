import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import {
  ReadSignOutRequest,
  type SignOutRequest,
} from '../../domain/authorize/sign-out/read-sign-out-request.js';
import { SignOut, type SignedOut } from '../../domain/authorize/sign-out/sign-out.js';
import { SignOutAtProvider } from '../../domain/external-sign-in/sign-out/sign-out-at-provider.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { addressesAt, signedOutPath } from '../shared/pages/external-callback.js';
import { withParameters } from '../shared/pages/redirect.js';
import { StateCookie } from '../shared/pages/state-cookie.js';
import { SignOutPages } from './sign-out-pages.js';

/** Signs a browser out, or asks first, and sends it on to wherever else it has to. */
@Injectable()
export class AnswerSignOut {
  constructor(
    private readonly readSignOut: ReadSignOutRequest,
    private readonly signOut: SignOut,
    private readonly atProvider: SignOutAtProvider,
    private readonly pages: SignOutPages,
    private readonly stateCookie: StateCookie,
    private readonly config: Config,
  ) {}

  /** @param confirmed by the person, on our page */
  async execute(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    {
      userAgentSecret,
      confirmed,
    }: { readonly userAgentSecret: string | undefined; readonly confirmed: boolean },
  ): Promise<void> {
    let checked: SignOutRequest;
    let done: SignedOut | undefined;
    try {
      checked = await this.readSignOut.execute(parameters);
      done = await this.signOut.execute(checked, userAgentSecret, confirmed);
      if (done === undefined) return this.pages.askToConfirm(request, reply, parameters, checked);
      await this.stateCookie.refresh(reply, userAgentSecret);
    } catch (error) {
      return this.pages.refuse(request, reply, error);
    }
    const { redirectUri, state } = checked;
    const target = redirectUri === undefined ? undefined : withParameters(redirectUri, { state });
    const { url: issuer } = this.config.app.issuer;
    const waysBack = (id: IdentityProviderId) => ({
      returnUrl: `${issuer}${signedOutPath(id)}`,
      saml: addressesAt(issuer, id),
    });
    const elsewhere = await this.atProvider.begin(done.ended, target, waysBack);
    this.pages.sendOn(request, reply, checked, { target, elsewhere, calls: done.calls });
  }
}
