import { Injectable } from '@nestjs/common';
import type { Session } from '../../sessions/session.js';
import { AskToVerifyEmail } from '../../users/verification/ask-to-verify-email.js';
import { CodeRefused } from '../../users/verification/use-email-code.js';
import { VerifyEmail } from '../../users/verification/verify-email.js';
import { ContinueFlow, type FlowResult } from './continue-flow.js';
import type { Flow } from './find-flow.js';

/** During a sign-in, an address is verified by the code that was sent there, and the flow continues. */
@Injectable()
export class VerifyEmailInFlow {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly askToVerifyEmail: AskToVerifyEmail,
    private readonly verifyEmail: VerifyEmail,
  ) {}

  async execute(flow: Flow, session: Session, typed: string): Promise<FlowResult> {
    const asked = await this.askToVerifyEmail.findAsked(session);
    if (asked === undefined) return { kind: 'refused' };
    const verdict = await this.verifyEmail.evaluate(asked.id, typed);
    if (verdict.kind !== 'right') return { kind: 'refused' };
    try {
      return await this.continueFlow.proceed(flow, session.id, async (tx) => {
        await this.verifyEmail.confirm(tx, verdict.code);
        return true;
      });
    } catch (error) {
      if (error instanceof CodeRefused) return { kind: 'refused' };
      throw error;
    }
  }
}
