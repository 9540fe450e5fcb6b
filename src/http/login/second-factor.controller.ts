import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PresentedFactor } from '../../domain/authorize/evaluate-factor.js';
import type { Flow } from '../../domain/authorize/find-flow.js';
import { ShowFactor } from '../../domain/authorize/show-factor.js';
import { isFactorDue, isStepUpOnly } from '../../domain/authorize/step-up.js';
import type { CodePlace } from '../../domain/factors/code-factor.js';
import {
  askedKinds,
  FactorsStore,
  type AskedKind,
  type UsableFactors,
} from '../../domain/factors/factors.store.js';
import { SendFactorCode } from '../../domain/factors/send-factor-code.js';
import type { CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { Session } from '../../domain/sessions/session.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { Clock } from '../../domain/shared/clock.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import type { FormView } from '../../pages/form-parts.js';
import type { SecondFactorProblem } from '../../pages/problems.js';
import { renderSecondFactorPage, type SentCode } from '../../pages/second-factor-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy, unlessUnchecked } from '../shared/busy.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { readAssertion } from '../shared/passkey-answer.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';

const PATH = '/login/second-factor';
const DAY_MS = 86_400_000;
const TYPED_KINDS = ['totp', 'email', 'sms', 'recovery-code'] as const;

/**
 * In the middle of a sign-in: whoever has a factor besides the password shows it before anything else. One page for all kinds,
 * the strongest first; the others are a link away.
 */
@Controller('login/second-factor')
export class SecondFactorController {
  constructor(
    private readonly showFactor: ShowFactor,
    private readonly factors: FactorsStore,
    private readonly sendCode: SendFactorCode,
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
    const asked = readQuery(request).get('kind');
    const usable = await this.factors.findUsable(session.userId);
    const kind = kindToShow(usable, asked);
    if (isSentKind(kind)) {
      await this.sendCode.unlessSent(placeOf(flow, session), kind, addressGroup(request.ip));
    }
    await this.showForm(request, reply, flow, session, asked, undefined, usable);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.submittedWhileDue(request, reply);
    if (submitted === undefined) return;
    const { form, flow, session } = submitted;
    const kind = form.get('kind');
    const presented = presentedBy(form);
    if (presented === undefined) {
      return await this.showForm(request, reply, flow, session, kind, 'code-missing');
    }
    const busyOrNot = await unlessBusy(reply, () =>
      unlessUnchecked(reply, () =>
        this.limits.tryPassword(request, async () => {
          const result = await this.try(submitted, session, presented, request.ip);
          return { result, failed: result.kind === 'refused' };
        }),
      ),
    );
    const tried = busyOrNot === 'too-busy' ? busyOrNot : busyOrNot.result;
    if (typeof tried === 'string') return await this.showForm(request, reply, flow, session, kind, tried);
    const { result: attempt } = tried;
    if ('wait' in attempt) {
      void reply.header('retry-after', String(attempt.wait));
      return await this.showForm(request, reply, flow, session, kind, 'too-many-attempts');
    }
    const { result } = attempt;
    if (result.kind !== 'refused') return await this.replies.send(request, reply, result, flow);
    await this.showForm(request, reply, flow, session, kind, 'code-not-valid');
  }

  /** Under all limits of messages; what comes too soon sends nothing, and the page shows when to try again. */
  @Post('resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.submittedWhileDue(request, reply);
    if (submitted === undefined) return;
    const { form, flow, session } = submitted;
    const kind = kindToShow(await this.factors.findUsable(session.userId), form.get('kind'));
    const place = placeOf(flow, session);
    const wasSent = isSentKind(kind) && (await this.sendCode.again(place, kind, addressGroup(request.ip)));
    void redirectTo(reply, `${kindPath(flow, kind)}${wasSent ? '&sent=again' : ''}`, 303);
  }

  /** Undefined where the answer was sent already: the step may be over, in another tab. */
  private async submittedWhileDue(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<(SubmittedStep & { readonly session: Session }) | undefined> {
    const submitted = await this.forms.submitted(request, reply, 'second-factor');
    if (submitted === undefined) return undefined;
    const { flow } = submitted;
    const { session } = flow;
    if (session !== undefined && isFactorDue(flow, session)) return { ...submitted, session };
    if (session === undefined) this.replies.sendOver(request, reply, flow);
    else await this.forms.goOn(request, reply, flow, session);
    return undefined;
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
    found?: UsableFactors,
  ): Promise<void> {
    const usable = found ?? (await this.factors.findUsable(session.userId));
    const subject = await this.tokens.findSubject(session.userId);
    if (subject?.claims.kind !== 'human') return this.replies.sendOver(request, reply, flow);
    const { displayName } = subject.claims;
    const kind = kindToShow(usable, asked);
    const others = askedKinds(usable).filter((other) => other !== kind);
    const trustUntil = kind === 'recovery-code' ? undefined : this.trustUntil(usable.trustedBrowserDays);
    const sent = isSentKind(kind) ? await this.sentCode(request, flow, session, kind) : undefined;
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSecondFactorPage({
          ...page,
          problem,
          kind,
          sent,
          trustUntil,
          form: formOf(this.forms.view(flow, 'second-factor', PATH), kind),
          account: { loginName: subject.loginName, displayName },
          others: others.map((other) => ({ kind: other, url: kindPath(flow, other) })),
          otherAccountUrl: flowPath('sign-in', flow.id),
          declineForm: isStepUpOnly(flow, session)
            ? this.forms.view(flow, 'second-factor', `${PATH}/decline`)
            : undefined,
        }),
      { ...flowPageOptions(flow, statusOf(problem && [problem])), passkeys: kind === 'passkey' },
    );
  }

  private async sentCode(
    request: FastifyRequest,
    flow: Flow,
    session: Session,
    kind: CodeFactorKind,
  ): Promise<SentCode | undefined> {
    const { target, isSent, availableInSeconds } = await this.sendCode.stateOf(placeOf(flow, session), kind);
    if (target === undefined) return undefined;
    const form = formOf(this.forms.view(flow, 'second-factor', `${PATH}/resend`), kind);
    const wasSent = readQuery(request).get('sent') === 'again';
    return { target, isSent, resend: { form, availableInSeconds, wasSent } };
  }
}

/** Undefined where what somebody has must not be shown now. */
function kindToShow(usable: UsableFactors, asked: string | undefined): AskedKind | undefined {
  const kinds = askedKinds(usable);
  return kinds.find((kind) => kind === asked) ?? kinds[0];
}

function isSentKind(kind: AskedKind | undefined): kind is CodeFactorKind {
  return kind === 'email' || kind === 'sms';
}

/** The sign-in that a code is good for. */
function placeOf(flow: Flow, { orgId, userId }: Session): CodePlace {
  return { orgId, userId, boundTo: flow.id };
}

function kindPath(flow: Flow, kind: AskedKind | undefined): string {
  const path = flowPath('second-factor', flow.id);
  return kind === undefined ? path : `${path}&kind=${kind}`;
}

function formOf(view: FormView, kind: AskedKind | undefined): FormView {
  return kind === undefined ? view : { ...view, hidden: { kind } };
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
