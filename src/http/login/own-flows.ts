import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OwnDestination } from '../../domain/authorize/auth-request.js';
import { BeginFlow } from '../../domain/authorize/flow/begin-flow.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AddressLimits } from '../shared/server/address-limits.js';

/** Flows that no application asked for: people who come to our pages by themselves. */
@Injectable()
export class OwnFlows {
  constructor(
    private readonly beginFlow: BeginFlow,
    private readonly ssoCookie: SsoCookie,
    private readonly limits: AddressLimits,
    private readonly replies: FlowReplies,
  ) {}

  /** Begins one and sends the browser to its page. */
  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    page: 'sign-in' | 'register',
    destination: OwnDestination,
  ): Promise<void> {
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const begun = await this.beginFlow.beginOwn(destination, this.ssoCookie.read(request), admit);
    this.replies.sendToPage(request, reply, page, begun);
  }
}
