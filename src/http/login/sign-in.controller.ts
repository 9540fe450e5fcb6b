import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow } from '../../domain/authorize/continue-flow.js';
import type { Flow } from '../../domain/authorize/find-flow.js';
import { sessionToRenew } from '../../domain/authorize/judge-sessions.js';
import { FindClientLinks } from '../../domain/client-registration/client-links.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import type { SignInProblem } from '../../pages/problems.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import { renderSignInPage } from '../../pages/sign-in-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy } from '../shared/busy.js';
import { flowPageOptions, FlowReplies, isSentToRegister, ownDestination } from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms } from './flow-forms.js';
import { inFlow } from './flow-pages.js';
import { OwnFlows } from './own-flows.js';
import { SignInOffer, type SignInWays } from './sign-in-offer.js';

/** Why the browser is back on the page, as the passkey's form sends it here. */
const PASSKEY_PROBLEMS: ReadonlyMap<string, SignInProblem> = new Map([
  ['refused', 'passkey-refused'],
  ['wait', 'too-many-attempts'],
]);

/** The same of a provider. */
const EXTERNAL_PROBLEMS: ReadonlyMap<string, SignInProblem> = new Map(
  (['idp-refused', 'idp-unavailable', 'idp-no-account', 'too-many-attempts'] as const).map((problem) => [
    problem,
    problem,
  ]),
);

/** The sign-in page: shows the form of a running flow, takes it back, and goes on from there. */
@Controller('login')
export class SignInController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly ownFlows: OwnFlows,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly offers: SignInOffer,
    private readonly tokens: TokensStore,
    private readonly clientLinks: FindClientLinks,
    private readonly pages: Pages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    if (query.get('flow') === undefined) {
      const destination = ownDestination(query.get('destination'));
      return await this.ownFlows.begin(request, reply, 'sign-in', destination);
    }
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const problem =
      PASSKEY_PROBLEMS.get(query.get('passkey') ?? '') ?? EXTERNAL_PROBLEMS.get(query.get('idp') ?? '');
    const ways = await this.offers.find(flow);
    const elsewhere = problem === undefined ? await this.offers.elsewhere(flow, ways) : undefined;
    if (elsewhere !== undefined) return void redirectTo(reply, elsewhere, 302);
    await this.showForm(request, reply, flow, { loginName: await this.nameIn(flow), problem }, ways);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'sign-in');
    if (submitted === undefined) return;
    const { form, flow, secret } = submitted;
    const loginName = form.get('loginName');
    const password = form.get('password');
    if (loginName === undefined) {
      return await this.showForm(request, reply, flow, { problem: 'login-name-missing' });
    }
    if (password === undefined) {
      const elsewhere = await this.offers.homeRealmOf(flow, loginName);
      if (elsewhere !== undefined) {
        const options = flowPageOptions(flow);
        return void this.pages.send(
          request,
          reply,
          (page) => renderSendOnPage({ ...page, url: elsewhere.url, provider: elsewhere.provider }),
          options,
        );
      }
      return await this.showForm(request, reply, flow, { loginName, problem: 'password-missing' });
    }
    const credentials = { loginName, password, source: request.ip };
    const tried = await unlessBusy(reply, () =>
      this.limits.tryPassword(request, async () => {
        const result = await this.continueFlow.submitPassword(flow, secret, credentials);
        return { result, failed: result.kind === 'refused' };
      }),
    );
    if (tried === 'too-busy') {
      return await this.showForm(request, reply, flow, { loginName, problem: tried });
    }
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.showForm(request, reply, flow, { loginName, problem: 'too-many-attempts' });
    }
    const { result } = attempt;
    if (result.kind === 'refused') {
      const problem = form.has('again') ? 'wrong-again' : 'wrong-credentials';
      return await this.showForm(request, reply, flow, { loginName, problem });
    }
    await this.replies.send(request, reply, result, flow);
  }

  /** As the application named the user, else as whoever must sign in again is known in this browser. */
  private async nameIn({ request, agent, begunAt, required }: Flow): Promise<string | undefined> {
    if (request === undefined || request.loginHint !== undefined) return request?.loginHint;
    const session = sessionToRenew(request, agent, begunAt, required);
    return session && (await this.tokens.findSubject(session.userId))?.loginName;
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    view: { readonly loginName?: string | undefined; readonly problem?: SignInProblem | undefined },
    ways?: SignInWays,
  ): Promise<void> {
    const { offer, providers } = ways ?? (await this.offers.find(flow));
    const clientLinks = await this.clientLinks.of(flow.application);
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
            // kept by the form and not by the account, of which it would tell something
            hidden: { again: view.problem === undefined ? undefined : 'true' },
          },
          applicationName: flow.application?.name,
          clientLinks,
          forgottenPasswordUrl: inFlow('/password/forgotten', flow),
          providers,
          connects: connectsBy(flow.pendingIdentity),
          createAccountUrl: offer && inFlow('/register', flow),
          registrationOff: offer === undefined && isSentToRegister(flow),
        }),
      { ...flowPageOptions(flow, status), passkeys: true },
    );
  }
}

/** Only by an address does an account here go with whoever came from a provider: without one nothing is promised. */
function connectsBy(pending: Flow['pendingIdentity']): string | undefined {
  if (pending?.mapped.email === undefined && pending?.registrationId === undefined) return undefined;
  // or by a user name, where the provider's people may be connected
  if (pending.takenName !== undefined && pending.userId === null) return undefined;
  return pending.providerName;
}
