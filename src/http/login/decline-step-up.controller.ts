import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RefuseFlow } from '../../domain/authorize/flow/refuse-flow.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { FlowForms } from './flow-forms.js';

/** The way past a factor that only the application asked for, for whoever has not got it at hand. */
@Controller('login/second-factor/decline')
export class DeclineStepUpController {
  constructor(
    private readonly refuseFlow: RefuseFlow,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
  ) {}

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'second-factor');
    if (submitted === undefined) return;
    const { flow } = submitted;
    if (flow.session === undefined) return this.replies.sendOver(request, reply, flow);
    const result = await this.refuseFlow.declineStepUp(flow, flow.session);
    if (result.kind === 'refused') return this.replies.sendOver(request, reply, flow);
    await this.replies.send(request, reply, result, flow);
  }
}
