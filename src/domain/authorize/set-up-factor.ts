import { Injectable } from '@nestjs/common';
import { FactorsStore } from '../factors/factors.store.js';
import { FinishTotp, isEnrolmentGone } from '../factors/finish-totp.js';
import { canBeSetUp, type SetUpKind } from '../factors/set-up-kind.js';
import { passkeyRefusalOf } from '../passkeys/passkey-refusal.js';
import { RegisterPasskey, type RegistrationOptions } from '../passkeys/register-passkey.js';
import type { RegistrationResponse } from '../passkeys/webauthn.js';
import { inPerson } from '../permissions/acting.js';
import type { Session } from '../sessions/session.js';
import type { UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ContinueFlow, type Flow, type FlowResult } from './continue-flow.js';

/** What a browser brings of the factor that its user has made. */
export type NewFactor =
  | { readonly kind: 'totp'; readonly code: string }
  | { readonly kind: 'passkey'; readonly answer: RegistrationResponse; readonly name: string };

export interface SetUpFactorCommand {
  readonly flow: Flow;
  /** The flow's, whose user sets something up. */
  readonly session: Session;
  readonly userAgentSecret: string;
  readonly factor: NewFactor;
}

/** `outdated`: too late, or another tab began anew; the page shows what is good now. */
export type SetUpResult = FlowResult | { readonly kind: 'outdated' };

/** Stores the factor in the transaction in which the flow goes on. */
type Store = (tx: Tx) => Promise<unknown>;

/** In the middle of a sign-in, whoever must have a second factor sets one up: having shown that it works they have shown it. */
@Injectable()
export class SetUpFactor {
  constructor(
    private readonly factors: FactorsStore,
    private readonly finishTotp: FinishTotp,
    private readonly registerPasskey: RegisterPasskey,
    private readonly continueFlow: ContinueFlow,
  ) {}

  /** What somebody can set up there, strongest first. */
  async kindsOf(userId: UserId): Promise<readonly SetUpKind[]> {
    return (await this.factors.findUsable(userId)).kinds.filter(canBeSetUp);
  }

  /** What their browser is asked to make; undefined where the policy lists no passkeys (any more). */
  async beginPasskey(flow: Flow, session: Session): Promise<RegistrationOptions | undefined> {
    if (!(await this.kindsOf(session.userId)).includes('passkey')) return undefined;
    return await this.registerPasskey.begin(whoOf(flow, session), 'preferred');
  }

  /** @returns `refused` for what does not work: a wrong code, or a passkey that is not good */
  async execute({ flow, session, userAgentSecret, factor }: SetUpFactorCommand): Promise<SetUpResult> {
    try {
      const store = await this.evaluate(flow, session, factor);
      if (typeof store === 'string') return { kind: store };
      return await this.continueFlow.proceedRenewed(flow, userAgentSecret, session.id, async (tx) => {
        await store(tx);
        return true;
      });
    } catch (error) {
      if (isEnrolmentGone(error)) return { kind: 'outdated' };
      if (passkeyRefusalOf(error) !== undefined) return { kind: 'refused' };
      throw error;
    }
  }

  private async evaluate(
    flow: Flow,
    session: Session,
    factor: NewFactor,
  ): Promise<Store | 'refused' | 'outdated'> {
    const who = whoOf(flow, session);
    if (!(await this.kindsOf(session.userId)).includes(factor.kind)) return 'outdated';
    if (factor.kind === 'passkey') {
      const store = await this.registerPasskey.prepare(who, factor.answer, 'preferred');
      return async (tx) => await store(tx, factor.name);
    }
    const evaluated = await this.finishTotp.evaluate(who, factor.code);
    if (evaluated.kind === 'right') return evaluated.store;
    return evaluated.kind === 'gone' ? 'outdated' : 'refused';
  }
}

function whoOf(flow: Flow, { id, orgId, userId, userAgentId }: Session) {
  return { orgId, userId, session: id, flow: flow.id, userAgentId, ...inPerson(userId) };
}
