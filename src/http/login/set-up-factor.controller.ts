import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import { SetUpFactor, type NewFactor } from '../../domain/authorize/set-up-factor.js';
import { BeginTotp } from '../../domain/factors/begin-totp.js';
import { RequiredFactorsStore } from '../../domain/factors/required-factors.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { Session } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderSetUpFactorPage, type SetUpFactorPage } from '../../pages/set-up-factor-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf } from '../shared/busy.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { readRegistration } from '../shared/passkey-answer.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';

const STEP = 'set-up-factor';
const PATH = '/login/set-up-factor';

/**
 * In the middle of a sign-in: whoever must have a second factor and has none sets one up before anything else. Nobody is
 * locked out by the rule, since the page is all that they need; owners may put it off for some days. One page for all kinds,
 * the strongest first; the others are a link away.
 */
@Controller('login/set-up-factor')
export class SetUpFactorController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly setUpFactor: SetUpFactor,
    private readonly required: RequiredFactorsStore,
    private readonly beginTotp: BeginTotp,
    private readonly tokens: TokensStore,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    // it was set up meanwhile, in another tab
    if (session.step !== STEP) return await this.forms.goOn(request, reply, flow, session);
    await this.showForm(request, reply, flow, session, readQuery(request).get('kind'));
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (session.step !== STEP) return await this.forms.goOn(request, reply, flow, session);
    if (form.get('skip') !== undefined) return await this.skip(request, reply, flow, session);
    const kind = form.get('kind');
    const factor = factorOf(submitted);
    if (factor === undefined) {
      return await this.showForm(request, reply, flow, session, kind, 'code-missing');
    }
    const tried = await this.limits.tryPassword(request, async () => {
      const result = await this.setUpFactor.execute({
        flow,
        session,
        userAgentSecret: submitted.secret,
        factor,
      });
      return { result, failed: result.kind === 'refused' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.showForm(request, reply, flow, session, kind, 'too-many-attempts');
    }
    const { result } = tried;
    if (result.kind === 'refused') {
      return await this.showForm(request, reply, flow, session, kind, 'code-not-valid');
    }
    // the picture that is good now
    if (result.kind === 'outdated') return void redirectTo(reply, pathOf(flow, kind), 303);
    this.replies.send(request, reply, result, flow);
  }

  private async skip(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
  ): Promise<void> {
    const result = await this.continueFlow.proceed(flow, session.id, (tx) =>
      this.required.postpone(tx, session.id),
    );
    // the days are over: the page comes up without that button
    if (result.kind === 'refused') return void redirectTo(reply, flowPath(STEP, flow.id), 303);
    this.replies.send(request, reply, result, flow);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    asked: string | undefined,
    problem?: SetUpFactorPage['problem'],
  ): Promise<void> {
    const { id, orgId, userId } = session;
    const subject = await this.tokens.findSubject(userId);
    const kinds = await this.setUpFactor.kindsOf(userId);
    const kind = kinds.find((one) => one === asked) ?? kinds[0];
    // none: the policy is another one since a moment ago
    if (subject?.claims.kind !== 'human' || kind === undefined) {
      return this.replies.sendOver(request, reply, flow);
    }
    const until = await this.required.offer(userId);
    const app =
      kind === 'totp'
        ? await this.beginTotp.resume({ orgId, userId, session: id, ...inPerson(userId) })
        : undefined;
    const { displayName } = subject.claims;
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSetUpFactorPage({
          ...page,
          problem,
          until,
          app: app && { secret: app.secret, otpauth: app.address },
          form: { ...this.forms.view(flow, STEP, PATH), hidden: { kind } },
          account: { loginName: subject.loginName, displayName },
          others: kinds
            .filter((other) => other !== kind)
            .map((other) => ({ kind: other, url: pathOf(flow, other) })),
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      { ...flowPageOptions(flow, statusOf(problem && [problem])), passkeys: kind === 'passkey' },
    );
  }
}

function pathOf(flow: Flow, kind: string | undefined): string {
  const path = flowPath(STEP, flow.id);
  return kind === undefined ? path : `${path}&${new URLSearchParams({ kind }).toString()}`;
}

/** Undefined where nothing was typed, or the browser's answer is none. */
function factorOf({ form, flow }: SubmittedStep): NewFactor | undefined {
  if (form.get('kind') === 'passkey') {
    const answer = readRegistration(form.get('credential'));
    return answer && { kind: 'passkey', answer, name: flow.device ?? 'Passkey' };
  }
  const code = form.get('code');
  return code === undefined ? undefined : { kind: 'totp', code };
}
