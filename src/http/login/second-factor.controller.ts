import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PresentedFactor } from '../../domain/authorize/evaluate-factor.js';
import { ShowFactor } from '../../domain/authorize/show-factor.js';
import { isFactorDue } from '../../domain/authorize/step-up.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { SendFactorCode } from '../../domain/factors/send-factor-code.js';
import type { Session } from '../../domain/sessions/session.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AddressLimits } from '../shared/address-limits.js';
import { unlessBusy, unlessUnchecked } from '../shared/busy.js';
import { FlowReplies } from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { readAssertion } from '../shared/passkey-answer.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';
import { isSentKind, kindPath, kindToShow, placeOf, SecondFactorForm } from './second-factor-form.js';

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
    private readonly forms: FlowForms,
    private readonly page: SecondFactorForm,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
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
    await this.page.show(request, reply, flow, session, asked, undefined, usable);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.submittedWhileDue(request, reply);
    if (submitted === undefined) return;
    const { form, flow, session } = submitted;
    const kind = form.get('kind');
    const presented = presentedBy(form);
    if (presented === undefined) {
      return await this.page.show(request, reply, flow, session, kind, 'code-missing');
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
