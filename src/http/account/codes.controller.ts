import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddCodeFactor, placeOf } from '../../domain/factors/add-code-factor.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { RemoveCodeFactor } from '../../domain/factors/remove-code-factor.js';
import { SendFactorCode } from '../../domain/factors/send-factor-code.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { CODE_FACTOR_KINDS, type CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { Session } from '../../domain/sessions/session.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountCodesPage, type AccountCodesPage } from '../../pages/account-codes-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessUnchecked } from '../shared/busy.js';
import { ErrorPages } from '../shared/error-pages.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit, type SubmittedAccountForm } from './account-visits.js';
import { doneAt, noticeOf, pageAfterFactor } from './notices.js';
import { ownChange } from './own-change.js';
import { removeFactor } from './remove-factor.js';
import { unlessRefused } from './unless-refused.js';

const STEP = 'codes';
const SECURITY = '/account/security';
/** Why no code is sent, by the errors' ids. */
const REFUSALS = {
  'COMMAND-Cf3k8': 'factorNotUsed',
  'COMMAND-Cf4v1': 'factorNotVerified',
  'COMMAND-Cf5r2': 'factorJustReset',
} as const;
const DONE = {
  email: { added: 'emailCodes', removed: 'emailCodesOff' },
  sms: { added: 'smsCodes', removed: 'smsCodesOff' },
} as const;

/** The page of codes by one way. */
export function codeFactorPath(kind: CodeFactorKind): string {
  return `${SECURITY}/codes/${kind}`;
}

/** Codes by e-mail or SMS as a second factor: turned on by one that arrived, and off. */
@AccountController(`${SECURITY}/codes/:kind`)
export class CodesController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly factors: FactorsStore,
    private readonly sendCode: SendFactorCode,
    private readonly addCodeFactor: AddCodeFactor,
    private readonly removeCodeFactor: RemoveCodeFactor,
    private readonly limits: AddressLimits,
    private readonly unitOfWork: UnitOfWork,
    private readonly errorPages: ErrorPages,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const kind = this.kindOf(request, reply, given);
    if (kind === undefined) return;
    const visit = await this.visits.openFresh(request, reply);
    if (visit !== undefined) await this.showPage(request, reply, visit, kind);
  }

  @Post()
  async submit(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const submitted = await this.submitted(request, reply, given);
    if (submitted === undefined) return;
    const { kind, visit, form } = submitted;
    const code = form.get('code');
    if (code === undefined) return await this.showPage(request, reply, visit, kind, 'code-missing');
    const checked = await unlessUnchecked(reply, () =>
      this.limits.tryPassword(request, async () => {
        const result = await this.addCodeFactor.evaluate(whoOf(visit.session), kind, code);
        return { result, failed: result.kind === 'wrong' };
      }),
    );
    if (checked === 'code-unchecked') return await this.showPage(request, reply, visit, kind, checked);
    const { result: tried } = checked;
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.showPage(request, reply, visit, kind, 'too-many-attempts');
    }
    const { result } = tried;
    if (result.kind === 'wrong') return await this.showPage(request, reply, visit, kind, 'code-not-valid');
    const stored = await unlessRefused({ 'CODE-woT0xc': 'code-not-valid' }, () =>
      this.unitOfWork.run((tx) => result.store(tx)),
    );
    // used up meanwhile, in another window
    if ('problem' in stored) return await this.showPage(request, reply, visit, kind, stored.problem);
    const usable = await this.factors.findUsable(visit.session.userId);
    void redirectTo(reply, doneAt(pageAfterFactor(usable), DONE[kind].added), 303);
  }

  /** Under all limits of messages; what comes too soon sends nothing, and the page shows when to try again. */
  @Post('send')
  async send(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const submitted = await this.submitted(request, reply, given);
    if (submitted === undefined) return;
    const { kind, visit } = submitted;
    const who = whoOf(visit.session);
    const begun = await unlessRefused(REFUSALS, () =>
      this.addCodeFactor.begin(who, kind, addressGroup(request.ip)),
    );
    if ('problem' in begun) return void redirectTo(reply, doneAt(SECURITY, begun.problem), 303);
    const path = codeFactorPath(kind);
    void redirectTo(reply, begun.result ? `${path}?sent=code` : `${path}?sent=none`, 303);
  }

  @Post('remove')
  async remove(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') given: string,
  ): Promise<void> {
    const submitted = await this.submitted(request, reply, given);
    if (submitted === undefined) return;
    const { kind, visit } = submitted;
    const done = await removeFactor(DONE[kind].removed, () =>
      this.unitOfWork.run((tx) => this.removeCodeFactor.ofOwn(tx, ownChange(visit), kind)),
    );
    void redirectTo(reply, doneAt(SECURITY, done), 303);
  }

  private async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
    given: string,
  ): Promise<(SubmittedAccountForm & { readonly kind: CodeFactorKind }) | undefined> {
    const kind = this.kindOf(request, reply, given);
    if (kind === undefined) return undefined;
    const submitted = await this.visits.submittedFresh(request, reply, STEP, codeFactorPath(kind));
    return submitted && { ...submitted, kind };
  }

  private kindOf(request: FastifyRequest, reply: FastifyReply, given: string): CodeFactorKind | undefined {
    const kind = CODE_FACTOR_KINDS.find((known) => known === given);
    if (kind === undefined) this.errorPages.send(request, reply, 'not-found', 404);
    return kind;
  }

  private async showPage(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    kind: CodeFactorKind,
    problem?: AccountCodesPage['problem'],
  ): Promise<void> {
    const { session } = visit;
    const { target, isSent, availableInSeconds } = await this.sendCode.stateOf(placeOf(whoOf(session)), kind);
    // nothing is verified any more
    if (target === undefined) return void redirectTo(reply, doneAt(SECURITY, 'factorNotVerified'), 303);
    const isSet = (await this.factors.findUsable(session.userId))[kind];
    const path = codeFactorPath(kind);
    const form = (action: string) => this.visits.form(visit, STEP, action);
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountCodesPage({
          ...page,
          notice: noticeOf(readQuery(request).get('done'), page.texts),
          kind,
          target,
          isSent,
          problem,
          wasRefused: readQuery(request).get('sent') === 'none' && !isSent,
          form: form(path),
          resend: { form: form(`${path}/send`), availableInSeconds },
          remove: isSet ? form(`${path}/remove`) : undefined,
        }),
      statusOf(problem && [problem]),
    );
  }
}

function whoOf({ id, orgId, userId }: Session) {
  return { orgId, userId, session: id, ...inPerson(userId) };
}
