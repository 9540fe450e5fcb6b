import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type FlowResult } from '../../domain/authorize/flow/continue-flow.js';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { SignInWithPasskey } from '../../domain/sign-in/sign-in-with-passkey.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { readAssertion } from '../shared/pages/passkey-answer.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';

/** The passkey of the sign-in page: its script asks for a challenge, and its form brings the browser's answer. */
@Controller('login/passkey')
export class PasskeySignInController {
  constructor(
    private readonly forms: FlowForms,
    private readonly continueFlow: ContinueFlow,
    private readonly signIn: SignInWithPasskey,
    private readonly limits: AddressLimits,
    private readonly replies: FlowReplies,
  ) {}

  @Post('challenge')
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'sign-in');
    if (submitted === undefined) return;
    await this.limits.admitChallenge(request);
    const options = await this.signIn.ask(placeIn(submitted.flow));
    void reply.header('cache-control', 'no-store').send(options);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'sign-in');
    if (submitted === undefined) return;
    const tried = await this.limits.tryProof(request, async () => {
      const result = await this.try(submitted);
      return { result, failed: result.kind === 'refused' };
    });
    const { flow } = submitted;
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return void redirectTo(reply, `${flowPath('sign-in', flow.id)}&passkey=wait`, 303);
    }
    const { result } = tried;
    if (result.kind === 'refused') {
      return void redirectTo(reply, `${flowPath('sign-in', flow.id)}&passkey=refused`, 303);
    }
    await this.replies.send(request, reply, result, flow);
  }

  private async try({ form, flow, secret }: SubmittedStep): Promise<FlowResult> {
    const authenticate = await this.signIn.check(readAssertion(form.get('credential')), placeIn(flow));
    if (authenticate === undefined) return { kind: 'refused' };
    return await this.continueFlow.enter(flow, secret, authenticate);
  }
}

function placeIn({ id, agent }: Flow) {
  return { flow: id, userAgentId: agent.id };
}
