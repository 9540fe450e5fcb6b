import { Injectable } from '@nestjs/common';
import { FactorsStore } from '../../factors/factors.store.js';
import type { Session } from '../../sessions/session.js';
import { ContinueFlow, type FlowResult } from '../flow/continue-flow.js';
import type { Flow } from '../flow/find-flow.js';

/** Owners may let people put off a factor that they must have, for some days. */
@Injectable()
export class PostponeFactor {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly factors: FactorsStore,
  ) {}

  /** How long; undefined where it is not to be put off, or not any more. */
  async until({ userId }: Session): Promise<Date | undefined> {
    return await this.factors.offerRequired(userId);
  }

  async execute(flow: Flow, { id }: Session): Promise<FlowResult> {
    return await this.continueFlow.proceed(flow, id, (tx) => this.factors.postponeRequired(tx, id));
  }
}
