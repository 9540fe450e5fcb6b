import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import { BeginTotp } from '../../domain/factors/begin-totp.js';
import { FinishTotp, type TotpEvaluation } from '../../domain/factors/finish-totp.js';
import { RequiredFactorsStore } from '../../domain/factors/required-factors.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { Session } from '../../domain/sessions/session.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderSetUpFactorPage, type SetUpFactorPage } from '../../pages/set-up-factor-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf } from '../shared/busy.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { Pages } from '../shared/pages.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms } from './flow-forms.js';

const STEP = 'set-up-factor';
const PATH = '/login/set-up-factor';

/**
 * In the middle of a sign-in: whoever must have a second factor and has none sets one up before anything else. Nobody is
 * locked out by the rule, since the page is all that they need; owners may put it off for some days.
 */
@Controller('login/set-up-factor')
export class SetUpFactorController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly required: RequiredFactorsStore,
    private readonly beginTotp: BeginTotp,
    private readonly finishTotp: FinishTotp,
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
    await this.showForm(request, reply, flow, session);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    if (session.step !== STEP) return await this.forms.goOn(request, reply, flow, session);
    if (form.get('skip') !== undefined) {
      return await this.goOn(request, reply, flow, (tx) => this.required.postpone(tx, session.id));
    }
    const code = form.get('code');
    if (code === undefined) return await this.showForm(request, reply, flow, session, 'code-missing');
    const tried = await this.limits.tryPassword(request, async () => {
      const result = await this.finishTotp.evaluate(whoOf(session), code);
      return { result, failed: result.kind === 'wrong' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.showForm(request, reply, flow, session, 'too-many-attempts');
    }
    await this.setUp(request, reply, flow, session, tried.result);
  }

  private async setUp(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    evaluated: TotpEvaluation,
  ): Promise<void> {
    if (evaluated.kind === 'wrong') {
      return await this.showForm(request, reply, flow, session, 'code-not-valid');
    }
    // too late, or another tab began anew: the picture that is good now
    if (evaluated.kind !== 'right') return void redirectTo(reply, flowPath(STEP, flow.id), 303);
    await this.goOn(request, reply, flow, async (tx) => {
      await evaluated.store(tx);
      return true;
    });
  }

  /** @param act false where it is refused, so that the page comes up once more as it is by now */
  private async goOn(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    act: (tx: Tx) => Promise<boolean>,
  ): Promise<void> {
    const { session } = flow;
    if (session === undefined) return this.replies.sendOver(request, reply, flow);
    const result = await this.continueFlow.proceed(flow, session.id, act);
    if (result.kind === 'refused') return void redirectTo(reply, flowPath(STEP, flow.id), 303);
    this.replies.send(request, reply, result, flow);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    problem?: SetUpFactorPage['problem'],
  ): Promise<void> {
    const subject = await this.tokens.findSubject(session.userId);
    if (subject?.claims.kind !== 'human') return this.replies.sendOver(request, reply, flow);
    const until = await this.required.offer(session.userId);
    const { secret, address } = await this.beginTotp.resume(whoOf(session));
    const { displayName } = subject.claims;
    this.pages.send(
      request,
      reply,
      (page) =>
        renderSetUpFactorPage({
          ...page,
          problem,
          secret,
          until,
          otpauth: address,
          form: this.forms.view(flow, STEP, PATH),
          account: { loginName: subject.loginName, displayName },
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      flowPageOptions(flow, statusOf(problem && [problem])),
    );
  }
}

function whoOf({ id, orgId, userId }: Session) {
  return { orgId, userId, session: id, ...inPerson(userId) };
}
