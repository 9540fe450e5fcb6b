import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePassword, type ChangePasswordCommand } from '../../domain/accounts/change-password.js';
import { ContinueFlow, type FlowResult } from '../../domain/authorize/flow/continue-flow.js';
import { HashingBill } from '../../domain/passwords/hashing/hashing-bill.js';
import type { Session } from '../../domain/sessions/session.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import {
  missingInChange,
  refusedChange,
  type RefusedChange,
} from '../shared/pages/password-change-problems.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessBusy } from '../shared/server/busy.js';
import { ChangePasswordForm } from './change-password-form.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';

/**
 * In the middle of a sign-in: a password that somebody else chose, or that has expired, is replaced before anything
 * else. Who may see the page has shown a password in this flow, or has a session that is good enough for it; the
 * present password is asked for all the same.
 */
@Controller('login/change-password')
export class ChangePasswordController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly changePassword: ChangePassword,
    private readonly page: ChangePasswordForm,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    if (flow.session?.step !== 'change-password') return this.replies.sendOver(request, reply, flow);
    await this.page.show(request, reply, flow, flow.session);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'change-password');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session?.step !== 'change-password') return this.replies.sendOver(request, reply, flow);
    const current = form.get('password');
    const next = form.get('newPassword');
    const problems = missingInChange(form);
    if (current === undefined || next === undefined || problems.length > 0) {
      return await this.page.show(request, reply, flow, session, { problems });
    }
    const bill = HashingBill.page(session.orgId, request.ip);
    const tried = await unlessBusy(reply, () =>
      this.limits.tryProof(request, async () => {
        const result = await this.change(submitted, session, { current, next, bill });
        const wrong = 'problems' in result && result.problems.includes('current-wrong');
        return { result, failed: wrong };
      }),
    );
    if (tried === 'too-busy') {
      return await this.page.show(request, reply, flow, session, { problems: [tried] });
    }
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.page.show(request, reply, flow, session, { problems: ['too-many-attempts'] });
    }
    const { result } = attempt;
    if ('problems' in result) return await this.page.show(request, reply, flow, session, result);
    if (result.kind === 'refused') return this.replies.sendOver(request, reply, flow);
    await this.replies.send(request, reply, result, flow);
  }

  private async change(
    { flow, secret }: SubmittedStep,
    { orgId, userId, proofs: earlierProofs }: Session,
    typed: Pick<ChangePasswordCommand, 'current' | 'next' | 'bill'>,
  ): Promise<FlowResult | RefusedChange> {
    const change = await this.changePassword.prepare({ orgId, userId, ...typed });
    if (change.kind !== 'ready') return refusedChange(change);
    return await this.continueFlow.enter(flow, secret, async (tx) =>
      (await change.apply(tx)) ? { orgId, userId, proofs: ['password'], earlierProofs } : undefined,
    );
  }
}
