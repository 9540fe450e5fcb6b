import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { SendFactorCode } from '../../domain/factors/codes/send-factor-code.js';
import { FactorsStore, type UsableFactors } from '../../domain/factors/factors.store.js';
import type { Session } from '../../domain/sessions/session.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import type { SecondFactorProblem } from '../../pages/problems.js';
import { renderSecondFactorPage } from '../../pages/second-factor-page.js';
import { flowPageOptions, FlowReplies } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { statusOf } from '../shared/server/busy.js';
import { isSentKind, kindToShow, placeOf, SecondFactorView } from './second-factor-view.js';

/** Shows the page that asks for a factor. */
@Injectable()
export class SecondFactorForm {
  constructor(
    private readonly factors: FactorsStore,
    private readonly sendCode: SendFactorCode,
    private readonly view: SecondFactorView,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
  ) {}

  /** For whoever has just come to it: a code goes out by the way that is shown, unless one has. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    asked: string | undefined,
  ): Promise<void> {
    const usable = await this.factors.findUsable(session.userId);
    const kind = kindToShow(usable, asked);
    if (isSentKind(kind)) {
      await this.sendCode.unlessSent(placeOf(flow, session), kind, addressGroup(request.ip));
    }
    await this.show(request, reply, flow, session, asked, undefined, usable);
  }

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    asked: string | undefined,
    problem?: SecondFactorProblem,
    found?: UsableFactors,
  ): Promise<void> {
    const usable = found ?? (await this.factors.findUsable(session.userId));
    const view = await this.view.of(request, flow, session, usable, asked);
    if (view === undefined) return this.replies.sendOver(request, reply, flow);
    const status = statusOf(problem && [problem]);
    this.pages.send(request, reply, (page) => renderSecondFactorPage({ ...page, ...view, problem }), {
      ...flowPageOptions(flow, status),
      passkeys: view.kind === 'passkey',
    });
  }
}
