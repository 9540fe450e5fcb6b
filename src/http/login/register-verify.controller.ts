import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import {
  FinishRegistration,
  type FinishRegistrationResult,
} from '../../domain/registration/finish-registration.js';
import type { PendingRegistration } from '../../domain/registration/registrations.store.js';
import { AddressLimits } from '../shared/address-limits.js';
import { AgentCookie } from '../shared/cookies.js';
import { ErrorPages } from '../shared/error-pages.js';
import { Pages } from '../shared/pages.js';
import { FlowReplies } from './flow-replies.js';
import { codeOfLink } from './mail-links.js';
import { renderEmailVerifiedPage } from './pages/done-pages.js';
import { RegisterForms } from './register-forms.js';
import { RegistrationOffer } from './registration-offer.js';
import { RegistrationPages } from './registration-pages.js';

/**
 * The code of a registration: typed in where the form was sent, or brought by the link of the mail. In the browser that
 * began it the sign-in goes on; elsewhere there is an account afterwards, and nobody signed in.
 */
@Controller('register/verify')
export class RegisterVerifyController {
  constructor(
    private readonly registrationPages: RegistrationPages,
    private readonly finishRegistration: FinishRegistration,
    private readonly continueFlow: ContinueFlow,
    private readonly offer: RegistrationOffer,
    private readonly registerForms: RegisterForms,
    private readonly replies: FlowReplies,
    private readonly agentCookie: AgentCookie,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.registrationPages.open(request, reply);
    if (opened === undefined) return;
    const { pending, parameters } = opened;
    if (!pending.live) return void this.errorPages.sendLinkOver(request, reply);
    await this.registrationPages.showForm(request, reply, pending, { code: codeOfLink(parameters) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.registrationPages.submitted(request, reply);
    if (submitted === undefined) return;
    const { pending, parameters: form } = submitted;
    if (!pending.live) return void this.errorPages.sendLinkOver(request, reply);
    const wait = await this.limits.checkSignIn(request);
    if (wait !== undefined) {
      return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    }
    const code = form.get('code');
    if (code === undefined) {
      return await this.registrationPages.showForm(request, reply, pending, { problem: 'code-missing' });
    }
    const agentSecret = this.agentCookie.read(request);
    const flow = await this.continueFlow.find(pending.flowId, agentSecret);
    const result = await this.finishRegistration.execute({ id: pending.id, code, flow, agentSecret });
    switch (result.kind) {
      case 'entered':
        return this.replies.send(request, reply, result.result, result.flow);
      case 'created':
        return this.showDone(request, reply, pending);
      case 'wrong-code':
        await this.limits.countSignInFailure(request);
        return await this.registrationPages.showForm(request, reply, pending, {
          code,
          problem: 'code-not-valid',
        });
      case 'taken':
        return await this.showTaken(request, reply, flow, result);
      case 'over':
        return void this.errorPages.sendLinkOver(request, reply);
      case 'off':
        return void this.errorPages.send(request, reply, 'registration-off', 403);
    }
  }

  private showDone(
    request: FastifyRequest,
    reply: FastifyReply,
    { email, organization }: PendingRegistration,
  ): void {
    this.pages.send(
      request,
      reply,
      (page) => renderEmailVerifiedPage({ ...page, email, wayOn: { url: '/login' } }),
      { organization },
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
