import { Injectable } from '@nestjs/common';
import { CheckFactor, type FactorAttempt } from '../factors/check-factor.js';
import { RecoveryCodes } from '../factors/recovery-codes.js';
import type { ShownFactor } from '../factors/shown-factor.js';
import { TotpCodes } from '../factors/totp-codes.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import type { Session } from '../sessions/session.js';
import { Log } from '../shared/log.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { ContinueFlow, type Flow, type FlowResult } from './continue-flow.js';

/** What is typed to be shown. */
export type TypedFactorKind = 'totp' | 'recovery-code';

export interface ShowFactorCommand {
  readonly flow: Flow;
  /** The flow's, whose user it is of. */
  readonly session: Session;
  readonly userAgentSecret: string;
  readonly kind: TypedFactorKind;
  readonly typed: string;
  /** Where the request came from. */
  readonly source: string;
}

/** In the middle of a sign-in: a code besides the password. Refusals look alike and take alike. */
@Injectable()
export class ShowFactor {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly checkFactor: CheckFactor,
    private readonly totpCodes: TotpCodes,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly log: Log,
  ) {}

  /** @returns `refused` for a wrong code, a used one, and somebody who has to wait: all the same outside. @throws HashingOverloaded */
  async execute(command: ShowFactorCommand): Promise<FlowResult> {
    const { session, kind } = command;
    const { userId } = session;
    const startedAt = performance.now();
    const result = await this.checkFactor.check(userId, () => this.attempt(command));
    if (result !== undefined && result.kind !== 'refused') return result;
    this.log.info('second factor refused', { userId, kind, blocked: result === undefined });
    await this.responseTimePadding.settle(startedAt);
    return { kind: 'refused' };
  }

  private async attempt(command: ShowFactorCommand): Promise<FactorAttempt<FlowResult>> {
    const { flow, session, userAgentSecret } = command;
    const shown = await this.evaluate(command);
    if (shown === undefined) return { verdict: 'wrong', result: { kind: 'refused' } };
    const result = await this.continueFlow.strengthen(flow, userAgentSecret, session.id, shown);
    const verdict = result.kind === 'refused' ? 'wrong' : result.kind === 'gone' ? 'void' : 'right';
    return { verdict, result };
  }

  private async evaluate({
    session: { orgId, userId },
    kind,
    typed,
    source,
  }: ShowFactorCommand): Promise<ShownFactor | undefined> {
    switch (kind) {
      case 'totp':
        return await this.totpCodes.evaluate(userId, typed);
      case 'recovery-code':
        return await this.recoveryCodes.evaluate({ orgId, userId }, typed, HashingBill.page(orgId, source));
    }
  }
}
