import { Injectable } from '@nestjs/common';
import { ChooseSetUp, type SetUpChoice } from '../../factors/choose-set-up.js';
import { AddCodeFactor, isCodeRefused, placeOf } from '../../factors/codes/add-code-factor.js';
import { FindFactorCode, type FactorCodeState } from '../../factors/codes/find-factor-code.js';
import { FinishTotp, isEnrolmentGone } from '../../factors/totp/finish-totp.js';
import { passkeyRefusalOf } from '../../passkeys/passkey-refusal.js';
import { RegisterPasskey, type RegistrationOptions } from '../../passkeys/register/register-passkey.js';
import type { RegistrationResponse } from '../../passkeys/webauthn.js';
import { inPerson } from '../../permissions/acting.js';
import type { Session } from '../../sessions/session.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ContinueFlow, type FlowResult } from '../flow/continue-flow.js';
import type { Flow } from '../flow/find-flow.js';
import { AdmitSetUp } from './admit-set-up.js';

type SetUpKind = SetUpChoice['kinds'][number];
type CodeKind = keyof SetUpChoice['obstacles'];

/** What a browser brings of the factor that its user has made. */
export type NewFactor =
  | { readonly kind: Exclude<SetUpKind, 'passkey'>; readonly code: string }
  | { readonly kind: 'passkey'; readonly answer: RegistrationResponse; readonly name: string };

interface SetUpFactorCommand {
  readonly flow: Flow;
  /** The flow's, whose user sets something up. */
  readonly session: Session;
  readonly userAgentSecret: string;
  readonly factor: NewFactor;
}

/** `outdated`: too late, another tab has restarted, or the session is not fresh any more; the page shows the current state. */
type SetUpResult =
  | Exclude<FlowResult, { readonly kind: 'refused' }>
  | { readonly kind: 'outdated' }
  /** What does not work: a wrong code, or a passkey that is not good. With what the page that is shown again offers. */
  | { readonly kind: 'refused'; readonly choice: SetUpChoice };

/** Stores the factor in the transaction in which the flow continues. */
type Store = (tx: Tx) => Promise<unknown>;

/** During a sign-in, a user who must have a second factor sets one up: the proof that it works counts as its use in this sign-in. */
@Injectable()
export class SetUpFactor {
  constructor(
    private readonly admitSetUp: AdmitSetUp,
    private readonly chooseSetUp: ChooseSetUp,
    private readonly finishTotp: FinishTotp,
    private readonly addCodeFactor: AddCodeFactor,
    private readonly findFactorCode: FindFactorCode,
    private readonly registerPasskey: RegisterPasskey,
    private readonly continueFlow: ContinueFlow,
  ) {}

  /** Whether its user has shown a short while ago who they are; nothing is begun, sent or stored otherwise. */
  async isOpenTo(session: Session): Promise<boolean> {
    return await this.admitSetUp.admits(session);
  }

  /** What the session's user can set up there, strongest first, and what is in the way of the rest. */
  async choiceOf({ orgId, userId }: Session): Promise<SetUpChoice> {
    return await this.chooseSetUp.of(orgId, userId);
  }

  /** What their browser is asked to make; undefined where the policy lists no passkeys (any more), or the session is not fresh. */
  async beginPasskey(flow: Flow, session: Session): Promise<RegistrationOptions | undefined> {
    if (!(await this.canSetUp(session, 'passkey'))) return undefined;
    return await this.registerPasskey.begin(whoOf(flow, session), 'preferred');
  }

  /**
   * Sends a code, which is valid in this session: another tab of the browser can use it.
   *
   * @param source where the request came from, as `addressGroup` says it
   * @returns false where it is too soon for another one, or nothing can be sent, or the session is not fresh
   */
  async sendCode(flow: Flow, session: Session, kind: CodeKind, source: string): Promise<boolean> {
    if (!(await this.canSetUp(session, kind))) return false;
    return await this.addCodeFactor.begin(whoOf(flow, session), kind, source);
  }

  async codeState(flow: Flow, session: Session, kind: CodeKind): Promise<FactorCodeState> {
    return await this.findFactorCode.stateOf(placeOf(whoOf(flow, session)), kind);
  }

  async execute({ flow, session, userAgentSecret, factor }: SetUpFactorCommand): Promise<SetUpResult> {
    const choice = await this.choiceOf(session);
    if (!choice.kinds.includes(factor.kind) || !(await this.isOpenTo(session))) return { kind: 'outdated' };
    try {
      const store = await this.evaluate(flow, session, factor);
      if (store === 'refused') return { kind: 'refused', choice };
      if (store === 'outdated') return { kind: 'outdated' };
      const result = await this.continueFlow.proceedRenewed(flow, userAgentSecret, session.id, async (tx) => {
        await store(tx);
        return true;
      });
      return result.kind === 'refused' ? { kind: 'refused', choice } : result;
    } catch (error) {
      if (isEnrolmentGone(error)) return { kind: 'outdated' };
      if (passkeyRefusalOf(error) !== undefined || isCodeRefused(error)) return { kind: 'refused', choice };
      throw error;
    }
  }

  private async evaluate(
    flow: Flow,
    session: Session,
    factor: NewFactor,
  ): Promise<Store | 'refused' | 'outdated'> {
    const who = whoOf(flow, session);
    if (factor.kind === 'passkey') {
      const store = await this.registerPasskey.prepare(who, factor.answer, 'preferred');
      return async (tx) => await store(tx, factor.name);
    }
    const evaluated =
      factor.kind === 'totp'
        ? await this.finishTotp.evaluate(who, factor.code)
        : await this.addCodeFactor.evaluate(who, factor.kind, factor.code);
    if (evaluated.kind === 'right') return evaluated.store;
    return evaluated.kind === 'gone' ? 'outdated' : 'refused';
  }

  private async canSetUp(session: Session, kind: SetUpKind): Promise<boolean> {
    return (await this.isOpenTo(session)) && (await this.choiceOf(session)).kinds.includes(kind);
  }
}

function whoOf(flow: Flow, { id, orgId, userId, userAgentId }: Session) {
  return { orgId, userId, session: id, flow: flow.id, userAgentId, ...inPerson(userId) };
}
