import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type FlowResult } from '../../domain/authorize/continue-flow.js';
import type { Flow } from '../../domain/authorize/find-flow.js';
import type { Session } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { AskToVerifyEmail, RESEND_SECONDS } from '../../domain/users/verification/ask-to-verify-email.js';
import { CodeRefused } from '../../domain/users/verification/use-email-code.js';
import { VerifyEmail } from '../../domain/users/verification/verify-email.js';
import type { VerifyEmailProblem } from '../../pages/problems.js';
import { renderVerificationNeededPage } from '../../pages/verify-email-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { Pages } from '../shared/pages.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms } from './flow-forms.js';

interface FormState {
  readonly code?: string | undefined;
  readonly problem?: VerifyEmailProblem;
}

/** In the middle of a sign-in: an address that nobody has verified yet is verified before anything else. */
@Controller('login/verify-email')
export class VerifyEmailStepController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly askToVerifyEmail: AskToVerifyEmail,
    private readonly verifyEmail: VerifyEmail,
    private readonly tokens: TokensStore,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    // the link of the mail was opened meanwhile, maybe on another device
    if (session.step !== 'verify-email') return await this.forms.goOn(request, reply, flow, session);
    await this.showForm(request, reply, flow, session, {});
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'verify-email');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (session.step !== 'verify-email') return await this.forms.goOn(request, reply, flow, session);
    const wait = await this.limits.checkSignIn(request);
    if (wait !== undefined) {
      void reply.header('retry-after', String(wait));
      return await this.showForm(request, reply, flow, session, { problem: 'too-many-attempts' }, 429);
    }
    const code = form.get('code');
    if (code === undefined) {
      return await this.showForm(request, reply, flow, session, { problem: 'code-missing' }, 400);
    }
    const result = await this.verify(flow, session, code);
    if (result.kind !== 'refused') return await this.replies.send(request, reply, result, flow);
    await this.limits.countSignInFailure(request);
    await this.showForm(request, reply, flow, session, { code, problem: 'code-not-valid' }, 400);
  }

  /** What comes too soon sends nothing, and the page shows when to try again: the last code is still good. */
  @Post('resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'verify-email');
    if (submitted === undefined) return;
    const { flow } = submitted;
    if (flow.session === undefined) return this.replies.sendOver(request, reply, flow);
    const wasSent = await this.askToVerifyEmail.again(flow.session);
    void redirectTo(reply, `${flowPath('verify-email', flow.id)}${wasSent ? '&sent=again' : ''}`, 303);
  }

  private async verify(flow: Flow, session: Session, typed: string): Promise<FlowResult> {
    const asked = await this.askToVerifyEmail.findAsked(session);
    if (asked === undefined) return { kind: 'refused' };
    const verdict = await this.verifyEmail.evaluate(asked.id, typed);
    if (verdict.kind !== 'right') return { kind: 'refused' };
    try {
      return await this.continueFlow.proceed(flow, session.id, async (tx) => {
        await this.verifyEmail.confirm(tx, verdict.code);
        return true;
      });
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: 'refused' };
      throw error;
    }
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    state: FormState,
    status = 200,
  ): Promise<void> {
    const subject = await this.tokens.findSubject(session.userId);
    if (subject?.claims.kind !== 'human') return this.replies.sendOver(request, reply, flow);
    const { displayName, email } = subject.claims;
    const asked = await this.askToVerifyEmail.findAsked(session);
    const wasSent = status === 200 && new URLSearchParams(request.url.split('?')[1]).get('sent') === 'again';
    this.pages.send(
      request,
      reply,
      (page) =>
        renderVerificationNeededPage({
          ...page,
          ...state,
          form: this.forms.view(flow, 'verify-email', '/login/verify-email'),
          sentTo: email,
          account: { loginName: subject.loginName, displayName },
          resend: {
            form: this.forms.view(flow, 'verify-email', '/login/verify-email/resend'),
            availableInSeconds: asked === undefined ? 0 : RESEND_SECONDS - asked.ageSeconds,
            wasSent,
          },
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      flowPageOptions(flow, status),
    );
  }
}
