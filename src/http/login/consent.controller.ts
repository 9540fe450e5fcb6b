import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow } from '../../domain/authorize/flow/continue-flow.js';
import { RefuseFlow } from '../../domain/authorize/flow/refuse-flow.js';
import { ShowConsent } from '../../domain/authorize/flow/show-consent.js';
import { MANAGEMENT_ACCESS, type ManagementAccess } from '../../domain/permissions/management-access.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { ConsentForm } from './consent-form.js';
import { FlowForms } from './flow-forms.js';

/**
 * In the middle of a sign-in: before an application gets a token for the service's own APIs, or one that registered itself gets
 * any, its user sees who gets what and agrees. The form names the session and the access that the page showed: what was agreed to is that, for
 * that user, whatever has changed in another tab or at the application meanwhile.
 */
@Controller('login/consent')
export class ConsentController {
  constructor(
    private readonly showConsent: ShowConsent,
    private readonly continueFlow: ContinueFlow,
    private readonly refuseFlow: RefuseFlow,
    private readonly page: ConsentForm,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const { session } = flow;
    if (session === undefined || session.step !== undefined)
      return this.replies.sendOver(request, reply, flow);
    const access = await this.showConsent.execute(flow, session);
    // agreed to in another tab, or not to be had any longer: what follows says so
    if (access === undefined) return await this.forms.goOn(request, reply, flow, session);
    await this.page.show(request, reply, flow, session, access);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'consent');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined || session.step !== undefined)
      return this.replies.sendOver(request, reply, flow);
    const decision = form.get('decision');
    const access = levelOf(form.get('access'));
    // somebody else has signed in since the page was shown: they see their own
    if (access === undefined || form.get('account') !== session.id || decision === undefined) {
      return void redirectTo(reply, flowPath('consent', flow.id), 303);
    }
    const result =
      decision === 'allow'
        ? await this.continueFlow.agree(flow, session.id, access)
        : await this.refuseFlow.execute(flow);
    if (result.kind === 'refused') return this.replies.sendOver(request, reply, flow);
    await this.replies.send(request, reply, result, flow);
  }
}

function levelOf(text: string | undefined): ManagementAccess | undefined {
  return MANAGEMENT_ACCESS.find((level) => level === text);
}
