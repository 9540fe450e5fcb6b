import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RestartFlow } from '../../domain/authorize/flow/restart-flow.js';
import { readQuery } from '../shared/oauth-form.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { FlowForms } from './flow-forms.js';

/** From the page that says that a flow is over: the same request from its beginning. */
@Controller('login/again')
export class RestartController {
  constructor(
    private readonly restartFlow: RestartFlow,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly ssoCookie: SsoCookie,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async restart(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const id = readQuery(request).get('flow');
    // another tab signed in while this one did: only the cookie was outdated, and the flow is still open
    const open = await this.forms.find(request, id);
    if (open !== undefined) return void redirectTo(reply, flowPath('sign-in', open.id), 302);
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const outcome = await this.restartFlow.execute(id, this.ssoCookie.read(request), admit);
    if (outcome === undefined) return void this.errorPages.sendExpired(request, reply);
    if (outcome.kind === 'device') return void redirectTo(reply, '/device', 302);
    if (outcome.kind === 'pushed') return this.replies.sendUsedUp(request, reply, outcome.application);
    await this.replies.sendBegun(request, reply, outcome);
  }
}
