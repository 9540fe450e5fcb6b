import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { PostponeFactor } from '../../domain/authorize/second-factor/postpone-factor.js';
import { SetUpFactor, type NewFactor } from '../../domain/authorize/second-factor/set-up-factor.js';
import { CODE_FACTOR_KINDS } from '../../domain/policies/factor-policy.js';
import type { Session } from '../../domain/sessions/session.js';
import { readQuery } from '../shared/oauth-form.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { readRegistration } from '../shared/pages/passkey-answer.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessUnchecked } from '../shared/server/busy.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';
import { SetUpFactorForm } from './set-up-factor-form.js';
import { SET_UP, SET_UP_PATH, setUpPathOf } from './set-up-parts.js';

/**
 * In the middle of a sign-in: whoever must have a second factor and has none sets one up before anything else. Nobody is
 * locked out by the rule, since the page is all that they need; owners may put it off for some days. One page for all kinds,
 * the strongest first; the others are a link away.
 */
@Controller(SET_UP_PATH.slice(1))
export class SetUpFactorController {
  constructor(
    private readonly setUpFactor: SetUpFactor,
    private readonly postponeFactor: PostponeFactor,
    private readonly page: SetUpFactorForm,
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
    // it was set up meanwhile, in another tab
    if (session.step !== SET_UP) return await this.forms.goOn(request, reply, flow, session);
    await this.page.show(request, reply, flow, session, readQuery(request).get('kind'));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, SET_UP);
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (session.step !== SET_UP) return await this.forms.goOn(request, reply, flow, session);
    if (form.get('skip') !== undefined) return await this.skip(request, reply, flow, session);
    const kind = form.get('kind');
    const factor = factorOf(submitted);
    if (factor === undefined) {
      return await this.page.show(request, reply, flow, session, kind, 'code-missing');
    }
    const { secret: userAgentSecret } = submitted;
    const checked = await unlessUnchecked(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.setUpFactor.execute({ flow, session, userAgentSecret, factor });
        return { result, failed: result.kind === 'refused' };
      }),
    );
    if (checked === 'code-unchecked') {
      return await this.page.show(request, reply, flow, session, kind, checked);
    }
    const { result: tried } = checked;
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.page.show(request, reply, flow, session, kind, 'too-many-attempts');
    }
    const { result } = tried;
    if (result.kind === 'refused') {
      return await this.page.show(request, reply, flow, session, kind, 'code-not-valid', result.choice);
    }
    // the picture that is good now
    if (result.kind === 'outdated') return void redirectTo(reply, setUpPathOf(flow, kind), 303);
    await this.replies.send(request, reply, result, flow);
  }

  private async skip(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
  ): Promise<void> {
    const result = await this.postponeFactor.execute(flow, session);
    // the days are over: the page comes up without that button
    if (result.kind === 'refused') return void redirectTo(reply, flowPath(SET_UP, flow.id), 303);
    await this.replies.send(request, reply, result, flow);
  }
}

/** Undefined where nothing was typed, or the browser's answer is none. */
function factorOf({ form, flow }: SubmittedStep): NewFactor | undefined {
  if (form.get('kind') === 'passkey') {
    const answer = readRegistration(form.get('credential'));
    return answer && { kind: 'passkey', answer, name: flow.device ?? 'Passkey' };
  }
  const code = form.get('code');
  if (code === undefined) return undefined;
  return { kind: CODE_FACTOR_KINDS.find((known) => known === form.get('kind')) ?? 'totp', code };
}
