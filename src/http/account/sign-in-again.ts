import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BeginFlow } from '../../domain/authorize/flow/begin-flow.js';
import { FactorsStore, isAskedForFactor } from '../../domain/factors/factors.store.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import type { AccountVisit } from './account-visits.js';
import { accountPage, WantedPage } from './wanted-page.js';

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

  /** To the sign-in of the reader's own organization, whose providers know them. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, secret }: AccountVisit,
    next: string | undefined,
  ): Promise<void> {
    this.wanted.remember(reply, accountPage(next));
    const admit = (): Promise<void> => this.limits.admitFlow(request);
    const begun = await this.beginFlow.beginOwn('account', secret, admit, session.orgId);
    this.replies.sendToPage(request, reply, 'sign-in', begun);
  }
}
