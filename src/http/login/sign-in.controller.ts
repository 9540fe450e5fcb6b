import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import { sessionToRenew } from '../../domain/authorize/judge-sessions.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import type { SignInProblem } from '../../pages/problems.js';
import { renderSignInPage } from '../../pages/sign-in-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy } from '../shared/busy.js';
import { ErrorPages } from '../shared/error-pages.js';
import {
  flowPageOptions,
  flowPath,
  FlowReplies,
  isSentToRegister,
  ownDestination,
} from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { redirectTo } from '../shared/redirect.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { FlowForms } from './flow-forms.js';
import { inFlow } from './flow-pages.js';
import { RegistrationOffer } from './registration-offer.js';

/** Why the browser is back on the page, as the passkey's form sends it here. */
const PASSKEY_PROBLEMS: ReadonlyMap<string, SignInProblem> = new Map([
  ['refused', 'passkey-refused'],
  ['wait', 'too-many-attempts'],
]);

/** The sign-in page: shows the form of a running flow, takes it back, and goes on from there. */
@Controller('login')
export class SignInController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly registrationOffer: RegistrationOffer,
    private readonly tokens: TokensStore,
    private readonly ssoCookie: SsoCookie,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    if (query.get('flow') === undefined) {
      return await this.begin(request, reply, query.get('destination'));
    }
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const problem = PASSKEY_PROBLEMS.get(query.get('passkey') ?? '');
    await this.showForm(request, reply, flow, { loginName: await this.nameIn(flow), problem });
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
    this.replies.send(request, reply, result, flow);
  }

  /** From the page that says that a flow is over: the same request from its beginning. */
  @Get('again')
  async again(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const id = readQuery(request).get('flow');
    const secret = this.ssoCookie.read(request);
    // another tab signed in while this one did: only the cookie was outdated, and the flow is still open
    const open = await this.continueFlow.find(id, secret);
    if (open !== undefined) return void redirectTo(reply, flowPath('sign-in', open.id), 302);
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const outcome = await this.continueFlow.beginAgain(id, secret, admit);
    if (outcome === undefined) return void this.errorPages.sendExpired(request, reply);
    this.replies.sendBegun(request, reply, outcome);
  }

  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    destination: string | undefined,
  ): Promise<void> {
    const own = ownDestination(destination);
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const begun = await this.continueFlow.beginOwn(own, this.ssoCookie.read(request), admit);
    this.replies.sendToPage(request, reply, 'sign-in', begun);
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
  ): Promise<void> {
    const offer = await this.registrationOffer.find(flow);
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
          forgottenPasswordUrl: inFlow('/password/forgotten', flow),
          createAccountUrl: offer && inFlow('/register', flow),
          registrationOff: offer === undefined && isSentToRegister(flow),
        }),
      { ...flowPageOptions(flow, status), passkeys: true },
    );
  }
}
