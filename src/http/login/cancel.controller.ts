import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RefuseFlow } from '../../domain/authorize/flow/refuse-flow.js';
import { OAuthError } from '../../domain/shared/errors.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { CANCEL_STEP } from '../shared/pages/pages.js';
import { FlowForms } from './flow-forms.js';

/**
 * Cancels a flow from any of its pages: the application gets access_denied (RFC 6749 §4.1.2.1). Existing sessions
 * stay.
 */
@Controller('login/cancel')
export class CancelController {
  constructor(
    private readonly refuseFlow: RefuseFlow,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
  ) {}

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, CANCEL_STEP);
    if (submitted === undefined) return;
    const { flow } = submitted;
    const refusal = new OAuthError('access_denied', 'the user cancelled the sign-in');
    const result = await this.refuseFlow.execute(flow, refusal);
    if (result.kind === 'refused') return this.replies.sendOver(request, reply, flow);
    await this.replies.send(request, reply, result, flow);
  }
}
