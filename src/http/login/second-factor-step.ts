import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { isFactorDue } from '../../domain/authorize/flow/step-up.js';
import type { Session } from '../../domain/sessions/session.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';

/** The step of a flow in which a factor is due. Each gives undefined when the answer was sent already. */
@Injectable()
export class SecondFactorStep {
  constructor(
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
  ) {}

  async open(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly flow: Flow; readonly session: Session } | undefined> {
    const flow = await this.forms.open(request, reply);
    const session = flow && (await this.sessionWhileDue(request, reply, flow));
    return flow && session && { flow, session };
  }

  async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<(SubmittedStep & { readonly session: Session }) | undefined> {
    const submitted = await this.forms.submitted(request, reply, 'second-factor');
    if (submitted === undefined) return undefined;
    const session = await this.sessionWhileDue(request, reply, submitted.flow);
    return session && { ...submitted, session };
  }

  /** It may have been shown meanwhile, in another tab. */
  private async sessionWhileDue(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
  ): Promise<Session | undefined> {
    const { session } = flow;
    if (session !== undefined && isFactorDue(flow, session)) return session;
    if (session === undefined) this.replies.sendOver(request, reply, flow);
    else await this.forms.goOn(request, reply, flow, session);
    return undefined;
  }
}
