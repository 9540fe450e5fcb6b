import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/continue-flow.js';
import type { PresentedFactor } from '../../domain/authorize/evaluate-factor.js';
import { ShowFactor } from '../../domain/authorize/show-factor.js';
import { isFactorDue, isStepUpOnly } from '../../domain/authorize/step-up.js';
import { askedKinds, FactorsStore, type AskedKind } from '../../domain/factors/factors.store.js';
import type { Session } from '../../domain/sessions/session.js';
import { Clock } from '../../domain/shared/clock.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import type { SecondFactorProblem } from '../../pages/problems.js';
import { renderSecondFactorPage, type ShownKind } from '../../pages/second-factor-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy } from '../shared/busy.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { readAssertion } from '../shared/passkey-answer.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';

const PATH = '/login/second-factor';
const DAY_MS = 86_400_000;

/**
 * In the middle of a sign-in: whoever has a factor besides the password shows it before anything else. One page for all kinds,
 * the strongest first; the others are a link away.
 */
@Controller('login/second-factor')
export class SecondFactorController {
  constructor(
    private readonly showFactor: ShowFactor,
    private readonly factors: FactorsStore,
    private readonly tokens: TokensStore,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
    private readonly limits: AddressLimits,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    // it was shown meanwhile, in another tab
    if (!isFactorDue(flow, session)) return await this.forms.goOn(request, reply, flow, session);
    await this.showForm(request, reply, flow, session, readQuery(request).get('kind'));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'second-factor');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (!isFactorDue(flow, session)) return await this.forms.goOn(request, reply, flow, session);
    const kind = form.get('kind');
    const presented = presentedBy(form);
    if (presented === undefined) {
      return await this.showForm(request, reply, flow, session, kind, 'code-missing');
    }
    const tried = await unlessBusy(reply, () =>
      this.limits.tryPassword(request, async () => {
        const result = await this.try(submitted, session, presented, request.ip);
        return { result, failed: result.kind === 'refused' };
      }),
    );
    if (tried === 'too-busy') return await this.showForm(request, reply, flow, session, kind, tried);
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.showForm(request, reply, flow, session, kind, 'too-many-attempts');
    }
    const { result } = attempt;
    if (result.kind !== 'refused') return this.replies.send(request, reply, result, flow);
    await this.showForm(request, reply, flow, session, kind, 'code-not-valid');
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

  private trustUntil(days: number): Date | undefined {
    return days === 0 ? undefined : new Date(this.clock.nowMs() + days * DAY_MS);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    asked: string | undefined,
    problem?: SecondFactorProblem,
  ): Promise<void> {
    const usable = await this.factors.findUsable(session.userId);
    const kinds = askedKinds(usable).filter(isShown);
    const subject = await this.tokens.findSubject(session.userId);
    if (subject?.claims.kind !== 'human') return this.replies.sendOver(request, reply, flow);
    const { displayName } = subject.claims;
    const kind = kinds.find((one) => one === asked) ?? kinds[0] ?? 'totp';
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSecondFactorPage({
          ...page,
          problem,
          kind,
          trustUntil: kind === 'recovery-code' ? undefined : this.trustUntil(usable.trustedBrowserDays),
          form: { ...this.forms.view(flow, 'second-factor', PATH), hidden: { kind } },
          account: { loginName: subject.loginName, displayName },
          others: kinds
            .filter((other) => other !== kind)
            .map((other) => ({ kind: other, url: `${flowPath('second-factor', flow.id)}&kind=${other}` })),
          otherAccountUrl: flowPath('sign-in', flow.id),
          declineForm: isStepUpOnly(flow, session)
            ? this.forms.view(flow, 'second-factor', `${PATH}/decline`)
            : undefined,
        }),
      { ...flowPageOptions(flow, statusOf(problem && [problem])), passkeys: kind === 'passkey' },
    );
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
  return typed === undefined ? undefined : { kind: kind === 'recovery-code' ? kind : 'totp', typed };
}

function isShown(kind: AskedKind): kind is ShownKind {
  return kind !== 'email' && kind !== 'sms';
}
