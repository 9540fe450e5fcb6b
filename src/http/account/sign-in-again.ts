import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BeginFlow } from '../../domain/authorize/flow/begin-flow.js';
import { FactorsStore, isAskedForFactor } from '../../domain/factors/factors.store.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import type { AccountVisit } from './account-visits.js';
import { accountPage, flowOfStep, WantedPage } from './wanted-page.js';

/** The whole sign-in, for who has to show more than one thing or would rather do so. */
@Injectable()
export class SignInAgain {
  constructor(
    private readonly factors: FactorsStore,
    private readonly beginFlow: BeginFlow,
    private readonly limits: AddressLimits,
    private readonly replies: FlowReplies,
    private readonly wanted: WantedPage,
  ) {}

  /** The password alone renews no session of somebody who shows more than that: the sign-in asks for all of it. */
  async isNeeded({ session }: AccountVisit): Promise<boolean> {
    return isAskedForFactor(await this.factors.findUsable(session.userId));
  }

  /**
   * To the sign-in of the reader's own organization, whose providers know them. Whoever is in the middle of an application's goes
   * through that one again: only its pages let browsers follow a form to the application.
   */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, secret }: AccountVisit,
    next: string | undefined,
  ): Promise<void> {
    const page = accountPage(next);
    const flow = flowOfStep(page);
    if (flow !== undefined) {
      return void redirectTo(reply, flowPath('sign-in', flow), request.method === 'POST' ? 303 : 302);
    }
    this.wanted.remember(reply, page);
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const begun = await this.beginFlow.beginOwn('account', secret, admit, session.orgId);
    this.replies.sendToPage(request, reply, 'sign-in', begun);
  }
}
