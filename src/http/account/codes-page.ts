import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { placeOf } from '../../domain/factors/codes/add-code-factor.js';
import { FindFactorCode } from '../../domain/factors/codes/find-factor-code.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { CODE_FACTOR_KINDS, type CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { Session } from '../../domain/sessions/session.js';
import { renderAccountCodesPage, type AccountCodesPage } from '../../pages/account-codes-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { statusOf } from '../shared/server/busy.js';
import { AccountVisits, type AccountVisit, type SubmittedAccountForm } from './account-visits.js';
import { doneAt, noticeOf } from './notices.js';

const STEP = 'codes';
const SECURITY = '/account/security';

/** The page of codes by one way. */
export function codeFactorPath(kind: CodeFactorKind): string {
  return `${SECURITY}/codes/${kind}`;
}

/** The page of codes by one way, and its forms that come back. */
@Injectable()
export class CodesPage {
  constructor(
    private readonly visits: AccountVisits,
    private readonly factors: FactorsStore,
    private readonly findCode: FindFactorCode,
    private readonly errorPages: ErrorPages,
  ) {}

  async open(request: FastifyRequest, reply: FastifyReply, given: string): Promise<void> {
    const kind = this.kindOf(request, reply, given);
    if (kind === undefined) return;
    const visit = await this.visits.openFresh(request, reply);
    if (visit !== undefined) await this.show(request, reply, visit, kind);
  }

  async submitted(
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

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    kind: CodeFactorKind,
    problem?: AccountCodesPage['problem'],
  ): Promise<void> {
    const { session } = visit;
    const { target, isSent, availableInSeconds } = await this.findCode.stateOf(placeOf(whoOf(session)), kind);
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
      { status: statusOf(problem && [problem]) },
    );
  }
}

export function whoOf({ id, orgId, userId }: Session) {
  return { orgId, userId, session: id, ...inPerson(userId) };
}
