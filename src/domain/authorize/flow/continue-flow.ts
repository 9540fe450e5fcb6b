import { Injectable } from '@nestjs/common';
import type { ShownFactor } from '../../factors/shown-factor.js';
import type { ManagementAccess } from '../../permissions/management-access.js';
import type { NewUserAgent, Session } from '../../sessions/session.js';
import { SessionsStore } from '../../sessions/sessions.store.js';
import type { AuthRequestId, SessionId } from '../../shared/ids.js';
import { UnitOfWork, type Tx } from '../../shared/unit-of-work.js';
import { BrowserChanged, StartSession, type AuthenticatedUser } from '../../sign-in/start-session.js';
import { Counters } from '../../statistics/counters.js';
import type { AuthorizationAnswer } from '../answer/finish-answer.js';
import type { FoundAuthRequest } from '../auth-request.js';
import type { FlowStep } from './begin-flow.js';
import { DecideFlow, FlowGone, type StepOutcome } from './decide-flow.js';
import { isConfirming, type Flow } from './find-flow.js';

export type FlowResult =
  | { readonly kind: 'refused' }
  /** Answered already, expired, or begun in another browser. */
  | { readonly kind: 'gone' }
  /** The user has something to do first. */
  | {
      readonly kind: 'step';
      readonly flow: AuthRequestId;
      readonly step: FlowStep;
      /** Present when the browser has a new secret. */
      readonly agent?: NewUserAgent;
    }
  | {
      readonly kind: 'done';
      readonly destination: FoundAuthRequest['destination'];
      readonly agent?: NewUserAgent;
      /** Present for an application. */
      readonly answer?: AuthorizationAnswer;
    };

/** Thrown inside a transaction to undo it when somebody was not authenticated. */
class NotAuthenticated extends Error {}

/** Continues a flow that was found (find-flow.ts), after each step of its user on our pages. */
@Injectable()
export class ContinueFlow {
  constructor(
    private readonly decideFlow: DecideFlow,
    private readonly startSession: StartSession,
    private readonly sessions: SessionsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly counters: Counters,
  ) {}

  /**
   * Continues with a user who has just authenticated: session, new browser secret, and the flow's answer or its
   * next step, in one transaction.
   *
   * @param authenticate runs first in it; what it writes is undone with the rest. Undefined refuses.
   */
  async enter(
    flow: Flow,
    userAgentSecret: string,
    authenticate: (tx: Tx) => Promise<AuthenticatedUser | undefined>,
  ): Promise<FlowResult> {
    return await this.commitStep(flow, async (tx, decide) => {
      const user = await authenticate(tx);
      if (user === undefined) throw new NotAuthenticated();
      const started = await this.startSession.execute(tx, user, {
        userAgentId: flow.agent.id,
        userAgentSecret,
        device: flow.device,
        trusts: !isConfirming(flow),
      });
      if (started === undefined) throw new NotAuthenticated();
      return { outcome: await decide(started.session), session: started.session, agent: started.agent };
    });
  }

  /**
   * Continues with a session of this browser that meets the request's requirements.
   *
   * @param act runs first in the transaction; what it writes is undone with the rest. False refuses.
   */
  async proceed(
    flow: Flow,
    sessionId: SessionId,
    act: (tx: Tx) => Promise<boolean> = () => Promise.resolve(true),
    agreed?: ManagementAccess,
  ): Promise<FlowResult> {
    return await this.commitStep(
      flow,
      async (tx, decide) => {
        const session = await this.sessionAfter(tx, flow, sessionId, act);
        return { outcome: await decide(session), session };
      },
      agreed,
    );
  }

  /**
   * Continues after the user of the flow's session has verified another factor. It is recorded in the session in the
   * transaction that consumes it, and the browser gets a new secret, as after every authentication.
   *
   * @param trustBrowser whether to skip the factor next time; never after a recovery code, which somebody else may have found
   */
  async strengthen(
    flow: Flow,
    userAgentSecret: string,
    sessionId: SessionId,
    shown: ShownFactor,
    trustBrowser = false,
  ): Promise<FlowResult> {
    return await this.proceedRenewed(flow, userAgentSecret, sessionId, async (tx) => {
      if (!(await shown.use(tx))) return false;
      if (!(await this.sessions.addProof(tx, sessionId, shown.kind))) throw new FlowGone();
      if (trustBrowser && shown.kind !== 'recovery-code') await this.sessions.trustBrowser(tx, sessionId);
      return true;
    });
  }

  /**
   * As `proceed`, after something that is a proof or as good as one: the browser is known by a new secret from then on
   * (security S039).
   */
  async proceedRenewed(
    flow: Flow,
    userAgentSecret: string,
    sessionId: SessionId,
    act: (tx: Tx) => Promise<boolean>,
  ): Promise<FlowResult> {
    return await this.commitStep(flow, async (tx, decide) => {
      // the browser before what refers to it, as at a sign-in
      const agent = await this.startSession.renewBrowser(tx, { userAgentId: flow.agent.id, userAgentSecret });
      const session = await this.sessionAfter(tx, flow, sessionId, act);
      return { outcome: await decide(session), session, agent };
    });
  }

  /**
   * Continues with the user's consent, which is stored in the transaction that opens the grant. If the
   * application's access has grown meanwhile, they are asked again.
   */
  async agree(flow: Flow, sessionId: SessionId, agreed: ManagementAccess): Promise<FlowResult> {
    return await this.proceed(flow, sessionId, undefined, agreed);
  }

  private async sessionAfter(
    tx: Tx,
    flow: Flow,
    sessionId: SessionId,
    act: (tx: Tx) => Promise<boolean>,
  ): Promise<Session> {
    if (!(await act(tx))) throw new NotAuthenticated();
    const session = await this.sessions.findLive(tx, sessionId, flow.agent.id);
    if (session === undefined) throw new FlowGone();
    return session;
  }

  private async commitStep(
    flow: Flow,
    work: (
      tx: Tx,
      decide: (session: Session) => Promise<StepOutcome>,
    ) => Promise<{ outcome: StepOutcome; session: Session; agent?: NewUserAgent }>,
    agreed?: ManagementAccess,
  ): Promise<FlowResult> {
    try {
      // everything that is read happens before the transaction, see AnswerRequest.prepare
      const prepared = await this.decideFlow.prepare(flow);
      const { outcome, session, agent } = await this.unitOfWork.run((tx) =>
        work(tx, (current) => this.decideFlow.stepOrAnswer(tx, flow, prepared, current, agreed)),
      );
      if (isSignedIn(flow, session)) this.counters.add(session.orgId, 'signInsSucceeded');
      const newAgent = agent === undefined ? {} : { agent };
      const finished = await this.decideFlow.finish(outcome, session);
      if ('step' in finished) return { kind: 'step', flow: flow.id, step: finished.step, ...newAgent };
      return { kind: 'done', destination: flow.destination, ...newAgent, ...finished };
    } catch (error) {
      if (error instanceof NotAuthenticated) return { kind: 'refused' };
      if (error instanceof FlowGone || error instanceof BrowserChanged) return { kind: 'gone' };
      throw error;
    }
  }
}

/** Whether somebody is signed in by this step: by what they showed in it, or by the last thing that was left for them to do. */
function isSignedIn(flow: Flow, session: Session): boolean {
  const before = flow.agent.sessions.find(({ id }) => id === session.id);
  const isNew = before === undefined || before.authenticatedAt !== session.authenticatedAt;
  return session.step === undefined && (isNew || before.step !== undefined);
}
