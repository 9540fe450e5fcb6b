import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PresentedFactor } from '../../domain/authorize/second-factor/evaluate-factor.js';
import { ShowFactor } from '../../domain/authorize/second-factor/show-factor.js';
import type { Session } from '../../domain/sessions/session.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { readQuery } from '../shared/oauth-form.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { readAssertion } from '../shared/pages/passkey-answer.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { unlessBusy, unlessUnchecked } from '../shared/server/busy.js';
import type { SubmittedStep } from './flow-forms.js';
import { SecondFactorForm } from './second-factor-form.js';
import { SecondFactorStep } from './second-factor-step.js';

const TYPED_KINDS = ['totp', 'email', 'sms', 'recovery-code'] as const;

/**
 * In the middle of a sign-in: whoever has a factor besides the password shows it before anything else. One page for all kinds,
 * the strongest first; the others are a link away.
 */
@Controller('login/second-factor')
export class SecondFactorController {
  constructor(
    private readonly showFactor: ShowFactor,
    private readonly step: SecondFactorStep,
    private readonly page: SecondFactorForm,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.step.open(request, reply);
    if (opened === undefined) return;
    const { flow, session } = opened;
    const asked = readQuery(request).get('kind');
    await this.page.open(request, reply, flow, session, asked);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.step.submitted(request, reply);
    if (submitted === undefined) return;
    const { form, flow, session } = submitted;
    const kind = form.get('kind');
    const presented = presentedBy(form);
    if (presented === undefined) {
      return await this.page.show(request, reply, flow, session, kind, 'code-missing');
    }
    const busyOrNot = await unlessBusy(reply, () =>
      unlessUnchecked(reply, () =>
        this.limits.tryProof(request, async () => {
          const result = await this.try(submitted, session, presented, request.ip);
          return { result, failed: result.kind === 'refused' };
        }),
      ),
    );
    const tried = busyOrNot === 'too-busy' ? busyOrNot : busyOrNot.result;
    if (typeof tried === 'string') return await this.page.show(request, reply, flow, session, kind, tried);
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.page.show(request, reply, flow, session, kind, 'too-many-attempts');
    }
    const { result } = attempt;
    if (result.kind !== 'refused') return await this.replies.send(request, reply, result, flow);
    await this.page.show(request, reply, flow, session, kind, 'code-not-valid');
  }

  private async try(
    { form, flow, secret }: SubmittedStep,
    session: Session,
    presented: PresentedFactor,
    source: string,
  ) {
    const trustBrowser = form.has('trust');
    return await this.showFactor.execute({
      flow,
      session,
      userAgentSecret: secret,
      presented,
      trustBrowser,
      source,
    });
  }
}

/** Undefined where nothing was typed, or the browser's answer is none. */
function presentedBy(form: OAuthParameters): PresentedFactor | undefined {
  const kind = form.get('kind');
  if (kind === 'passkey') {
    const assertion = readAssertion(form.get('credential'));
    return assertion && { kind, assertion };
  }
  const typed = form.get('code');
  if (typed === undefined) return undefined;
  return { kind: TYPED_KINDS.find((known) => known === kind) ?? 'totp', typed };
}
