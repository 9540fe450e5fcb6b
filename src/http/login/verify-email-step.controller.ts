import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { VerifyEmailInFlow } from '../../domain/authorize/flow/verify-email-in-flow.js';
import { AskToVerifyEmail } from '../../domain/users/verification/ask-to-verify-email.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { FlowForms } from './flow-forms.js';
import { VerifyEmailForm } from './verify-email-form.js';

/** In the middle of a sign-in: an address that nobody has verified yet is verified before anything else. */
@Controller('login/verify-email')
export class VerifyEmailStepController {
  constructor(
    private readonly verifyInFlow: VerifyEmailInFlow,
    private readonly askToVerifyEmail: AskToVerifyEmail,
    private readonly page: VerifyEmailForm,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
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
    await this.page.show(request, reply, flow, session, {});
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'verify-email');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (session.step !== 'verify-email') return await this.forms.goOn(request, reply, flow, session);
    const code = form.get('code');
    if (code === undefined) {
      return await this.page.show(request, reply, flow, session, { problem: 'code-missing' }, 400);
    }
    const tried = await this.limits.tryProof(request, async () => {
      const result = await this.verifyInFlow.execute(flow, session, code);
      return { result, failed: result.kind === 'refused' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.page.show(request, reply, flow, session, { problem: 'too-many-attempts' }, 429);
    }
    const { result } = tried;
    if (result.kind !== 'refused') return await this.replies.send(request, reply, result, flow);
    await this.page.show(request, reply, flow, session, { code, problem: 'code-not-valid' }, 400);
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
}
