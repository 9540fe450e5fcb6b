import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import type { OwnDestination } from '../../domain/authorize/auth-request.js';
import { ContinueFlow, type Flow, type FlowResult } from '../../domain/authorize/continue-flow.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import { AddressLimits } from '../shared/address-limits.js';
import { AgentCookie } from '../shared/cookies.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { redirectTo, withParameters } from '../shared/redirect.js';
import { renderSignInPage } from './pages/sign-in-page.js';
import type { SignInProblem } from './texts/texts.js';

const OWN_DESTINATIONS: Readonly<Record<OwnDestination, string>> = { home: '/', queues: '/admin/queues' };

/** The sign-in page: shows the form of a running flow, takes it back, and sends the answer to where it belongs. */
@Controller()
export class SignInController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly agentCookie: AgentCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
    private readonly config: Config,
  ) {}

  @Get('login')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    const id = query.get('flow');
    if (id === undefined) return await this.begin(request, reply, query.get('destination'));
    const flow = await this.continueFlow.find(id, this.agentCookie.read(request));
    if (flow === undefined) return void this.errorPages.sendExpired(request, reply);
    this.showForm(request, reply, flow, { loginName: flow.request?.loginHint });
  }

  @Post('login')
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const secret = this.agentCookie.read(request);
    const flow = await this.continueFlow.find(form.get('flow'), secret);
    // without its flow a form cannot be told from one that somebody else's page sent
    if (!this.csrf.holds(request, form.get('csrf'), 'sign-in', flow?.agent.id ?? '', flow?.id ?? '')) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    if (flow === undefined || secret === undefined) return void this.errorPages.sendExpired(request, reply);
    const loginName = form.get('loginName');
    const password = form.get('password');
    if (loginName === undefined) {
      return this.showForm(request, reply, flow, { problem: 'login-name-missing' });
    }
    if (password === undefined) {
      return this.showForm(request, reply, flow, { loginName, problem: 'password-missing' });
    }
    const attempt = await this.limits.tryPassword(request, async () => {
      const device = describeBrowser(request.headers['user-agent']);
      const submitted = await this.continueFlow.submitPassword(flow, secret, { loginName, password, device });
      return { result: submitted, failed: submitted.kind === 'refused' };
    });
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return this.showForm(request, reply, flow, { loginName, problem: 'too-many-attempts' });
    }
    const { result } = attempt;
    if (result.kind === 'gone') return void this.errorPages.sendExpired(request, reply);
    if (result.kind === 'refused') {
      return this.showForm(request, reply, flow, { loginName, problem: 'wrong-credentials' });
    }
    this.leave(reply, result);
  }

  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    destination: string | undefined,
  ): Promise<void> {
    if (this.agentCookie.read(request) === undefined) {
      const wait = await this.limits.countNewFlow(request);
      if (wait !== undefined)
        return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    }
    const own = destination === 'queues' ? 'queues' : 'home';
    const { flow, newAgent } = await this.continueFlow.beginOwn(own, this.agentCookie.read(request));
    if (newAgent !== undefined) this.agentCookie.write(reply, newAgent.secret);
    void redirectTo(reply, `/login?flow=${flow}`, 303);
  }

  private leave(reply: FastifyReply, result: Extract<FlowResult, { kind: 'done' }>): void {
    // from here on the browser is known by a new secret (security S039)
    this.agentCookie.write(reply, result.agent.secret);
    const { answer, destination } = result;
    if (destination !== 'application') return void redirectTo(reply, OWN_DESTINATIONS[destination], 303);
    if (answer === undefined) throw new Error('an application was promised an answer');
    const { redirectUri, state } = answer.request;
    const outcome =
      'code' in answer
        ? { code: answer.code }
        : { error: answer.refusal.code, error_description: answer.refusal.description };
    const parameters = { ...outcome, state, iss: this.config.app.issuer.url };
    void redirectTo(reply, withParameters(redirectUri, parameters), 303);
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    view: { readonly loginName?: string | undefined; readonly problem?: SignInProblem },
  ): void {
    const csrf = this.csrf.token('sign-in', flow.agent.id, flow.id);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSignInPage({
          ...page,
          ...view,
          form: { action: '/login', csrf, flow: flow.id },
          applicationName: flow.application?.name,
        }),
      {
        status: view.problem === undefined ? 200 : view.problem === 'too-many-attempts' ? 429 : 400,
        organizationName: flow.application?.organizationName,
        uiLocales: flow.request?.uiLocales,
        formTarget: flow.request?.redirectUri,
      },
    );
  }
}
