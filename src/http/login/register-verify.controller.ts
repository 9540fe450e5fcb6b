import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import {
  FinishRegistration,
  type FinishRegistrationResult,
} from '../../domain/registration/finish-registration.js';
import { RegistrationPolicy } from '../../domain/registration/registration-policy.js';
import {
  type PendingRegistration,
  RegistrationsStore,
} from '../../domain/registration/registrations.store.js';
import { ResendRegistration } from '../../domain/registration/resend-registration.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AddressLimits } from '../shared/address-limits.js';
import { AgentCookie } from '../shared/cookies.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { flowPageOptions } from './flow-forms.js';
import { FlowReplies } from './flow-replies.js';
import { linkId } from './link-id.js';
import { codeOfLink } from './mail-links.js';
import { renderEmailVerifiedPage } from './pages/done-pages.js';
import type { FormView } from './pages/form-parts.js';
import { renderVerificationNeededPage } from './pages/verify-email-page.js';
import { RegisterForms } from './register-forms.js';
import { RegistrationOffer } from './registration-offer.js';
import type { VerifyEmailProblem } from './texts/texts.js';

const PATH = '/register/verify';
const STEP = 'register-verify';

interface FormState {
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem;
  readonly wasSent?: boolean;
}

/**
 * The page that takes the code of a registration: shown when the form was sent, and behind the link of the mail. In the
 * browser that began it the sign-in goes on; elsewhere there is an account afterwards, and nobody signed in.
 */
@Controller('register/verify')
export class RegisterVerifyController {
  constructor(
    private readonly registrations: RegistrationsStore,
    private readonly policy: RegistrationPolicy,
    private readonly finishRegistration: FinishRegistration,
    private readonly resendRegistration: ResendRegistration,
    private readonly offer: RegistrationOffer,
    private readonly registerForms: RegisterForms,
    private readonly continueFlow: ContinueFlow,
    private readonly replies: FlowReplies,
    private readonly agentCookie: AgentCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    const pending = await this.open(request, reply, query);
    if (pending === undefined) return;
    if (!pending.live) return void this.errorPages.sendLinkOver(request, reply);
    await this.showForm(request, reply, pending, { code: codeOfLink(query) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = readForm(request);
    const pending = await this.submitted(request, reply, form);
    if (pending === undefined) return;
    if (!pending.live) return void this.errorPages.sendLinkOver(request, reply);
    const wait = await this.limits.checkSignIn(request);
    if (wait !== undefined) {
      return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    }
    const code = form.get('code');
    if (code === undefined) return await this.showForm(request, reply, pending, { problem: 'code-missing' });
    const agentSecret = this.agentCookie.read(request);
    const flow = await this.continueFlow.find(pending.flowId, agentSecret);
    const result = await this.finishRegistration.execute({ id: pending.id, code, flow, agentSecret });
    switch (result.kind) {
      case 'entered':
        return this.replies.send(request, reply, result.result, pending.flowId ?? '');
      case 'created':
        return this.showDone(request, reply, pending);
      case 'wrong-code':
        await this.limits.countSignInFailure(request);
        return await this.showForm(request, reply, pending, { code, problem: 'code-not-valid' });
      case 'taken':
        return await this.showTaken(request, reply, flow, result);
      case 'over':
        return void this.errorPages.sendLinkOver(request, reply);
      case 'off':
        return void this.errorPages.send(request, reply, 'registration-off', 403);
    }
  }

  /** What comes too soon sends nothing and shows when to try again. */
  @Post('resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const pending = await this.submitted(request, reply, readForm(request));
    if (pending === undefined) return;
    const wait = await this.limits.countMailRequest(request);
    if (wait !== undefined) {
      return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    }
    const wasSent = await this.resendRegistration.execute(pending.id);
    const now = await this.registrations.find(pending.id);
    if (now?.live !== true) return void this.errorPages.sendLinkOver(request, reply);
    await this.showForm(request, reply, now, { wasSent });
  }

  /** Undefined when the answer was sent already. */
  private async open(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<PendingRegistration | undefined> {
    const pending = await this.registrations.find(linkId(parameters));
    if (pending === undefined) {
      this.errorPages.sendLinkOver(request, reply);
      return undefined;
    }
    if (await this.policy.allows(pending.orgId)) return pending;
    this.errorPages.send(request, reply, 'registration-off', 403);
    return undefined;
  }

  private async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
    form: OAuthParameters,
  ): Promise<PendingRegistration | undefined> {
    if (!this.csrf.holds(request, form.get('csrf'), STEP, linkId(form))) {
      this.errorPages.send(request, reply, 'form', 403);
      return undefined;
    }
    return await this.open(request, reply, form);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    pending: PendingRegistration,
    { wasSent, ...state }: FormState,
  ): Promise<void> {
    const flow = await this.continueFlow.find(pending.flowId, this.agentCookie.read(request));
    const status = state.problem === undefined ? 200 : 400;
    const resend = {
      form: this.form(pending, `${PATH}/resend`),
      availableInSeconds: pending.resendInSeconds,
      wasSent,
    };
    this.pages.send(
      request,
      reply,
      (page) =>
        renderVerificationNeededPage({
          ...page,
          ...state,
          form: this.form(pending, PATH),
          sentTo: pending.email,
          resend,
        }),
      {
        ...(flow === undefined ? { status } : flowPageOptions(flow, status)),
        organizationName: pending.organizationName,
      },
    );
  }

  private form({ id }: PendingRegistration, action: string): FormView {
    return { action, csrf: this.csrf.token(STEP, id), hidden: { id } };
  }

  private showDone(
    request: FastifyRequest,
    reply: FastifyReply,
    { email, organizationName }: PendingRegistration,
  ): void {
    this.pages.send(
      request,
      reply,
      (page) => renderEmailVerifiedPage({ ...page, email, wayOn: { url: '/login' } }),
      { organizationName },
    );
  }

  private async showTaken(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow | undefined,
    { names, problem }: Extract<FinishRegistrationResult, { kind: 'taken' }>,
  ): Promise<void> {
    const offer = flow && (await this.offer.find(flow));
    if (flow === undefined || offer === undefined) return void this.errorPages.sendLinkOver(request, reply);
    const { firstName, lastName, email, loginName } = names;
    const state = { firstName, lastName, email, loginName, problems: [problem] };
    this.registerForms.send(request, reply, flow, offer, state);
  }
}
