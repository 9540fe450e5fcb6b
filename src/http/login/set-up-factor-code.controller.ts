import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SetUpFactor } from '../../domain/authorize/second-factor/set-up-factor.js';
import { CODE_FACTOR_KINDS } from '../../domain/policies/factor-policy.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { FlowForms } from './flow-forms.js';
import { SET_UP, SET_UP_PATH, setUpPathOf } from './set-up-parts.js';

/** Has the code sent by which codes are turned on in the middle of a sign-in. No page sends one by being opened. */
@Controller(`${SET_UP_PATH.slice(1)}/send`)
export class SetUpFactorCodeController {
  constructor(
    private readonly forms: FlowForms,
    private readonly setUpFactor: SetUpFactor,
    private readonly replies: FlowReplies,
  ) {}

  /** Under all limits of messages; what comes too soon sends nothing, and the page shows when to try again. */
  @Post()
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, SET_UP);
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (session.step !== SET_UP) return await this.forms.goOn(request, reply, flow, session);
    const kind = CODE_FACTOR_KINDS.find((known) => known === form.get('kind'));
    const wasSent =
      kind !== undefined && (await this.setUpFactor.sendCode(flow, session, kind, addressGroup(request.ip)));
    const sent = wasSent ? (form.has('again') ? 'again' : 'code') : 'none';
    void redirectTo(reply, `${setUpPathOf(flow, kind)}&sent=${sent}`, 303);
  }
}
