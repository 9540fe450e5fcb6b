import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { sessionToRenew } from '../../domain/authorize/flow/judge-sessions.js';
import { FindClientLinks } from '../../domain/client-registration/metadata/client-links.js';
import { asksAnew } from '../../domain/external-sign-in/sign-in-anew.js';
import { WaysToConfirm } from '../../domain/external-sign-in/ways-to-confirm.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import type { Page } from '../../pages/layout.js';
import type { SignInProblem } from '../../pages/problems.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import { renderSignInPage } from '../../pages/sign-in-page.js';
import { flowPageOptions, flowPath, isSentToRegister } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { statusOf } from '../shared/server/busy.js';
import { FlowForms } from './flow-forms.js';
import { inFlow } from './flow-pages.js';
import { SignInOffer, type SignInWays } from './sign-in-offer.js';

/** The page that people sign in on. Whom a provider signs in is sent on to it in place of the page. */
@Injectable()
export class SignInForm {
  constructor(
    private readonly offers: SignInOffer,
    private readonly ways: WaysToConfirm,
    private readonly tokens: TokensStore,
    private readonly clientLinks: FindClientLinks,
    private readonly forms: FlowForms,
    private readonly pages: Pages,
  ) {}

  /** For whoever has just come, or is back with a problem. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    problem: SignInProblem | undefined,
  ): Promise<void> {
    const ways = await this.offers.find(flow);
    const elsewhere = problem === undefined ? await this.offers.elsewhere(flow, ways) : undefined;
    if (elsewhere !== undefined) return void redirectTo(reply, elsewhere, 302);
    await this.show(request, reply, flow, { loginName: await this.nameIn(flow), problem }, ways);
  }

  /** For whoever has typed a name alone. */
  async askPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    loginName: string,
  ): Promise<void> {
    const elsewhere = await this.offers.homeRealmOf(flow, loginName);
    if (elsewhere === undefined) {
      return await this.show(request, reply, flow, { loginName, problem: 'password-missing' });
    }
    const { url, provider } = elsewhere;
    const render = (page: Page): string => renderSendOnPage({ ...page, url, provider });
    this.pages.send(request, reply, render, flowPageOptions(flow));
  }

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    view: { readonly loginName?: string | undefined; readonly problem?: SignInProblem | undefined },
    ways?: SignInWays,
  ): Promise<void> {
    const { offer, providers, notAnew } = ways ?? (await this.offers.find(flow));
    const clientLinks = await this.clientLinks.of(flow.application);
    const codeByMailUrl = await this.codeByMailUrl(flow);
    const status = statusOf(view.problem && [view.problem]);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSignInPage({
          ...page,
          ...view,
          passkeyForm: this.forms.view(flow, 'sign-in', '/login/passkey'),
          form: {
            ...this.forms.view(flow, 'sign-in', '/login'),
            // kept in the form and not per account, which would reveal whether it exists
            hidden: { again: view.problem === undefined ? undefined : 'true' },
          },
          applicationName: flow.application?.name,
          clientLinks,
          codeByMailUrl,
          forgottenPasswordUrl: inFlow('/password/forgotten', flow),
          providers,
          notAnew,
          connects: connectsBy(flow.pendingIdentity),
          createAccountUrl: offer && inFlow('/register', flow),
          registrationOff: offer === undefined && isSentToRegister(flow),
        }),
      { ...flowPageOptions(flow, status), passkeys: true },
    );
  }

  /** The mailed code is a proof of the account's own; its page leads back to this sign-in. */
  private async codeByMailUrl(flow: Flow): Promise<string | undefined> {
    const { request, agent, begunAt, required } = flow;
    const session = request && asksAnew(flow) ? sessionToRenew(request, agent, begunAt, required) : undefined;
    // a user who did not sign in by a provider can authenticate by what they used here
    if (session?.proofs.external === undefined || session.step !== undefined) return undefined;
    if (!(await this.ways.of(session)).byMail) return undefined;
    return `/account/confirm?${new URLSearchParams({ next: flowPath('choose', flow.id) }).toString()}`;
  }

  /** The `login_hint` of the application, else the login name of the user in this browser who must sign in again. */
  private async nameIn({ request, agent, begunAt, required }: Flow): Promise<string | undefined> {
    if (request === undefined || request.loginHint !== undefined) return request?.loginHint;
    const session = sessionToRenew(request, agent, begunAt, required);
    return session && (await this.tokens.findSubject(session.userId))?.loginName;
  }
}

/** Only by an address does an account here go with whoever came from a provider: without one nothing is promised. */
function connectsBy(pending: Flow['pendingIdentity']): string | undefined {
  if (pending?.mapped.email === undefined && pending?.registrationId === undefined) return undefined;
  // or by a user name, where the provider's people may be connected
  if (pending.takenName !== undefined && pending.userId === null) return undefined;
  return pending.providerName;
}
