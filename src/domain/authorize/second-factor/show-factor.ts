import { Injectable } from '@nestjs/common';
import { CheckFactor, type FactorAttempt } from '../../factors/check-factor.js';
import type { Session } from '../../sessions/session.js';
import { Log } from '../../shared/log.js';
import { ResponseTimePadding } from '../../sign-in/response-time-padding.js';
import { ContinueFlow, type FlowResult } from '../flow/continue-flow.js';
import type { Flow } from '../flow/find-flow.js';
import { EvaluateFactor, type PresentedFactor } from './evaluate-factor.js';

interface ShowFactorCommand {
  readonly flow: Flow;
  /** The flow's, whose user it is of. */
  readonly session: Session;
  readonly userAgentSecret: string;
  readonly presented: PresentedFactor;
  /** The user wants to be spared it in this browser from now on, for as long as the policy allows. */
  readonly trustBrowser: boolean;
  /** Where the request came from. */
  readonly source: string;
}

/** In the middle of a sign-in: a factor besides the password. Refusals look alike and take alike. */
@Injectable()
export class ShowFactor {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly checkFactor: CheckFactor,
    private readonly evaluateFactor: EvaluateFactor,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly log: Log,
  ) {}

  /** @returns `refused` for a wrong code, a used one, and somebody who has to wait: all the same outside. @throws HashingOverloaded, CodeNotChecked */
  async execute(command: ShowFactorCommand): Promise<FlowResult> {
    const { session, presented } = command;
    const { userId } = session;
    const startedAt = performance.now();
    const result = await this.checkFactor.check(userId, () => this.attempt(command));
    if (result !== undefined && result.kind !== 'refused') return result;
    this.log.info('second factor refused', { userId, kind: presented.kind, blocked: result === undefined });
    await this.responseTimePadding.settle(startedAt);
    return { kind: 'refused' };
  }

  private async attempt(command: ShowFactorCommand): Promise<FactorAttempt<FlowResult>> {
    const { flow, session, userAgentSecret, presented, trustBrowser, source } = command;
    // nobody guesses a signature: one that came too late must not lock its user out
    const refused = presented.kind === 'passkey' ? 'void' : 'wrong';
    const shown = await this.evaluateFactor.evaluate({ flow: flow.id, session }, presented, source);
    if (shown === undefined) return { verdict: refused, result: { kind: 'refused' } };
    const result = await this.continueFlow.strengthen(flow, userAgentSecret, session.id, shown, trustBrowser);
    const verdict = result.kind === 'refused' ? refused : result.kind === 'gone' ? 'void' : 'right';
    return { verdict, result };
  }
}
