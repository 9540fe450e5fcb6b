import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import type { AgreedLevel } from '../consents/consents.store.js';
import type { ShownFactor } from '../factors/shown-factor.js';
import type { OrganizationBranding } from '../organizations/organization-branding.js';
import { OrganizationsStore } from '../organizations/organizations.store.js';
import type { NewUserAgent, Session, UserAgent } from '../sessions/session.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { UserAgents } from '../sessions/user-agents.js';
import { OAuthError } from '../shared/errors.js';
import type { AuthRequestId, SessionId } from '../shared/ids.js';
import { RANDOM_ID } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import type { SignInPlace } from '../sign-in/sign-in-names.store.js';
import { SignIn, type Credentials } from '../sign-in/sign-in.js';
import { BrowserChanged, StartSession, type AuthenticatedUser } from '../sign-in/start-session.js';
import { AskToVerifyEmail } from '../users/verification/ask-to-verify-email.js';
import { AdmitUser, type RequiredOrganization } from './admit-user.js';
import {
  AnswerRequest,
  type AuthorizationAnswer,
  type OpenedAnswer,
  type PreparedAnswer,
} from './answer-request.js';
import type { AuthorizationRequest, FoundAuthRequest, OwnDestination } from './auth-request.js';
import { AuthRequestsStore } from './auth-requests.store.js';
import { BeginAuthorization, type BeginOutcome } from './begin-authorization.js';
import { BeginFlow, type AdmitFlow, type BegunFlow, type FlowStep } from './begin-flow.js';
import { isGoodEnough } from './judge-sessions.js';
import { isStepUpOnly, stepUpIn, unmet } from './step-up.js';
import { isStillServed } from './validate-request.js';

/** A flow as its pages see it. */
export interface Flow {
  readonly id: AuthRequestId;
  readonly agent: UserAgent;
  readonly destination: FoundAuthRequest['destination'];
  readonly request?: AuthorizationRequest;
  readonly application?: BrowserApplication;
  /** Whose user has something to do before the flow goes on. */
  readonly session?: Session;
  readonly begunAt: number;
  /** What the owner of a session that begins now will know it by; told by whoever reads the request. */
  readonly device?: string | undefined;
  /** The one whose users alone may answer, if the request names one. */
  readonly required?: RequiredOrganization;
  /** Of the organization that the request names, else of the application's, else of the default one. */
  readonly organization?: OrganizationBranding;
}

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

/** What the transaction of a step came to. */
type StepOutcome =
  { readonly step: FlowStep } | { readonly answer: OpenedAnswer | AuthorizationAnswer | undefined };

/** Thrown inside a transaction to undo it when the flow was answered meanwhile. */
class FlowGone extends Error {}
/** The same when somebody was not authenticated. */
class NotAuthenticated extends Error {}

/** The part of a flow that happens on our pages. A flow answers only to the browser that began it. */
@Injectable()
export class ContinueFlow {
  constructor(
    private readonly agents: UserAgents,
    private readonly authRequests: AuthRequestsStore,
    private readonly applications: ApplicationsStore,
    private readonly beginFlow: BeginFlow,
    private readonly beginAuthorization: BeginAuthorization,
    private readonly orgs: OrganizationsStore,
    private readonly signIn: SignIn,
    private readonly startSession: StartSession,
    private readonly sessions: SessionsStore,
    private readonly askToVerifyEmail: AskToVerifyEmail,
    private readonly admitUser: AdmitUser,
    private readonly answerRequest: AnswerRequest,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Begins a sign-in that no application asked for; the destination is one of ours, by name. */
  async beginOwn(
    destination: OwnDestination,
    userAgentSecret: string | undefined,
    admit: AdmitFlow,
  ): Promise<BegunFlow> {
    return await this.beginFlow.begin(await this.agents.find(userAgentSecret), { destination }, admit);
  }

  async find(id: string | undefined, userAgentSecret: string | undefined): Promise<Flow | undefined> {
    return await this.read(id, userAgentSecret, (flow, agent) => this.authRequests.findOpen(flow, agent.id));
  }

  /** One of this browser that was answered or has expired, for the page that says so. */
  async findOver(id: string | undefined, userAgentSecret: string | undefined): Promise<Flow | undefined> {
    return await this.read(id, userAgentSecret, (flow, agent) => this.authRequests.findOver(flow, agent.id));
  }

  /**
   * Begins a flow again: the same request, judged anew, in this browser. The flow may be another browser's, as it is
   * after two tabs made two browsers of a new one: whoever knows its id gets no more by it than by the address that
   * the application sent them to, and the flow itself stays as it is (security S038).
   *
   * @throws OAuthError as the request got it, or would have got it
   */
  async beginAgain(
    id: string | undefined,
    userAgentSecret: string | undefined,
    admit: AdmitFlow,
  ): Promise<BeginOutcome | undefined> {
    const found = isFlowId(id) ? await this.authRequests.findAny(id) : undefined;
    if (found === undefined) return undefined;
    const { request, destination } = found;
    const agent = await this.agents.find(userAgentSecret);
    if (destination !== 'application') {
      const begun = await this.beginFlow.begin(agent, { destination }, admit);
      return { kind: 'interact', page: 'sign-in', ...begun };
    }
    if (request === undefined) return undefined;
    const application = await this.applications.findBrowserApplication(request.applicationId);
    if (!isStillServed(request, application)) return undefined;
    return await this.beginAuthorization.decide(request, application, agent, admit);
  }

  async submitPassword(flow: Flow, userAgentSecret: string, credentials: Credentials): Promise<FlowResult> {
    const user = await this.signIn.authenticate(credentials, placeOf(flow));
    if (user === undefined) return { kind: 'refused' };
    return await this.enter(flow, userAgentSecret, () => Promise.resolve(user));
  }

  /**
   * Goes on with somebody who has just shown who they are: session, new browser secret, and the flow's answer or its
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
      });
      if (started === undefined) throw new NotAuthenticated();
      return { outcome: await decide(started.session), session: started.session, agent: started.agent };
    });
  }

  /**
   * Goes on with a session that this browser has and that was found good enough.
   *
   * @param act runs first in the transaction; what it writes is undone with the rest. False refuses.
   */
  async proceed(
    flow: Flow,
    sessionId: SessionId,
    act: (tx: Tx) => Promise<boolean> = () => Promise.resolve(true),
    agreed?: AgreedLevel,
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
   * Goes on with one more factor that the user of the flow's session has just shown. It is noted in the session in the
   * transaction that uses it up, and the browser is known by a new secret, as after every proof.
   *
   * @param trustBrowser whether it is to be spared the next time; a recovery code, which anybody may have found, spares nothing
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

  /** What the user of the flow's session is asked to agree to now; undefined when nothing is, or no longer. */
  async consentAsked(flow: Flow, session: Session): Promise<AgreedLevel | undefined> {
    if (flow.request === undefined || !isStillServed(flow.request, flow.application)) return undefined;
    if (!isHinted(flow.request, session)) return undefined;
    const prepared = await this.answerRequest.prepare(flow.request, flow.application);
    return await this.unitOfWork.run((tx) => this.answerRequest.consentNeeded(tx, prepared, session));
  }

  /**
   * Goes on with what the user has agreed to, which is put on file in the transaction that opens the grant. Where the
   * application got more meanwhile than they were shown they are asked again.
   */
  async agree(flow: Flow, sessionId: SessionId, agreed: AgreedLevel): Promise<FlowResult> {
    return await this.proceed(flow, sessionId, undefined, agreed);
  }

  /** The user does not agree: the application hears it (OpenID Connect Core §3.1.2.6). */
  async refuse(
    flow: Flow,
    refusal = new OAuthError('access_denied', 'the user did not agree'),
  ): Promise<FlowResult> {
    const { request, destination } = flow;
    if (request === undefined || !isStillServed(request, flow.application)) return { kind: 'gone' };
    if (!(await this.unitOfWork.run((tx) => this.authRequests.close(tx, flow.id)))) return { kind: 'gone' };
    return { kind: 'done', destination, answer: { request, refusal } };
  }

  /**
   * The user does not show what the application's `acr_values` ask for, because they have not got it at hand: it was a
   * wish, and the flow goes on without. An essential `acr` ends there.
   */
  async declineStepUp(flow: Flow, session: Session): Promise<FlowResult> {
    const { request } = flow;
    if (!isStepUpOnly(flow, session)) return { kind: 'gone' };
    if (request?.acrEssential === true) return await this.refuse(flow, unmet());
    const withoutWish = { ...flow, ...(request && { request: { ...request, acrValues: [] } }) };
    return await this.proceed(withoutWish, session.id, (tx) => this.authRequests.dropAcr(tx, flow.id));
  }

  /**
   * Goes on with an account of the list.
   * @returns `password-needed` when its session is not good enough; the sign-in form then knows the name
   */
  async choose(
    flow: Flow,
    sessionId: string,
    loginNameOf: (session: Session) => Promise<string | undefined>,
  ): Promise<FlowResult | { readonly kind: 'password-needed' }> {
    const session = flow.agent.sessions.find(({ id }) => id === sessionId);
    if (session !== undefined && isGoodEnough(flow.request, session, flow.begunAt)) {
      return await this.proceed(flow, session.id);
    }
    const known = session ?? flow.agent.lapsed.find(({ id }) => id === sessionId);
    const loginName = known === undefined ? undefined : await loginNameOf(known);
    if (loginName !== undefined) await this.authRequests.suggestName(flow.id, loginName);
    return { kind: 'password-needed' };
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

  private async read(
    id: string | undefined,
    userAgentSecret: string | undefined,
    find: (id: AuthRequestId, agent: UserAgent) => Promise<FoundAuthRequest | undefined>,
  ): Promise<Flow | undefined> {
    if (!isFlowId(id)) return undefined;
    const agent = await this.agents.find(userAgentSecret);
    if (agent === undefined) return undefined;
    const found = await find(id, agent);
    if (found === undefined) return undefined;
    const { request, destination, begunAt } = found;
    const application =
      request === undefined
        ? undefined
        : await this.applications.findBrowserApplication(request.applicationId);
    const session = agent.sessions.find((candidate) => candidate.id === found.sessionId);
    const required = request && (await this.admitUser.requiredOrganization(request.scopes));
    const organization =
      required?.branding ?? application?.organization ?? (await this.orgs.findDefaultBranding());
    return {
      id: found.id,
      agent,
      destination,
      begunAt,
      ...(request === undefined ? {} : { request }),
      ...(application === undefined ? {} : { application }),
      ...(session === undefined ? {} : { session }),
      ...(required === undefined ? {} : { required }),
      ...(organization === undefined ? {} : { organization }),
    };
  }

  private async commitStep(
    flow: Flow,
    work: (
      tx: Tx,
      decide: (session: Session) => Promise<StepOutcome>,
    ) => Promise<{ outcome: StepOutcome; session: Session; agent?: NewUserAgent }>,
    agreed?: AgreedLevel,
  ): Promise<FlowResult> {
    try {
      // everything that is read happens before the transaction, see AnswerRequest.prepare
      const prepared = await this.prepare(flow);
      const { outcome, session, agent } = await this.unitOfWork.run((tx) =>
        work(tx, (current) => this.stepOrAnswer(tx, flow, prepared, current, agreed)),
      );
      const newAgent = agent === undefined ? {} : { agent };
      if ('step' in outcome) {
        if (outcome.step === 'verify-email') await this.askToVerifyEmail.unlessAsked(session);
        return { kind: 'step', flow: flow.id, step: outcome.step, ...newAgent };
      }
      const { answer } = outcome;
      if (answer === undefined) return { kind: 'done', destination: flow.destination, ...newAgent };
      return {
        kind: 'done',
        destination: flow.destination,
        ...newAgent,
        answer: 'grant' in answer ? await this.answerRequest.finish(answer) : answer,
      };
    } catch (error) {
      if (error instanceof NotAuthenticated) return { kind: 'refused' };
      if (error instanceof FlowGone || error instanceof BrowserChanged) return { kind: 'gone' };
      throw error;
    }
  }

  private async stepOrAnswer(
    tx: Tx,
    flow: Flow,
    prepared: PreparedAnswer | undefined,
    session: Session,
    agreed: AgreedLevel | undefined,
  ): Promise<StepOutcome> {
    const isAnother = flow.request !== undefined && !isHinted(flow.request, session);
    const due = session.step ?? (isAnother ? undefined : stepUpIn(flow, session));
    const step = due ?? (await this.consentStep(tx, prepared, session, agreed));
    if (step !== undefined && step !== 'unmet') {
      if (!(await this.authRequests.awaitStep(tx, flow.id, session.id))) throw new FlowGone();
      return { step };
    }
    // a double submit, or a second tab, finds it closed: one flow gives one answer
    if (!(await this.authRequests.close(tx, flow.id))) throw new FlowGone();
    if (prepared === undefined) return { answer: undefined };
    if (step === 'unmet') return { answer: { request: prepared.request, refusal: unmet() } };
    return { answer: await this.answer(tx, prepared, session, agreed) };
  }

  private async consentStep(
    tx: Tx,
    prepared: PreparedAnswer | undefined,
    session: Session,
    agreed: AgreedLevel | undefined,
  ): Promise<'consent' | undefined> {
    if (prepared === undefined || !isHinted(prepared.request, session)) return undefined;
    const needed = await this.answerRequest.consentNeeded(tx, prepared, session, agreed);
    return needed === undefined ? undefined : 'consent';
  }

  /** Undefined for a flow of our own. @throws FlowGone when the application may no longer have this answer */
  private async prepare({ request, application }: Flow): Promise<PreparedAnswer | undefined> {
    if (request === undefined) return undefined;
    if (!isStillServed(request, application)) throw new FlowGone();
    return await this.answerRequest.prepare(request, application);
  }

  private async answer(
    tx: Tx,
    prepared: PreparedAnswer,
    session: Session,
    agreed: AgreedLevel | undefined,
  ): Promise<OpenedAnswer | AuthorizationAnswer> {
    const { request } = prepared;
    if (!isHinted(request, session)) {
      return { request, refusal: new OAuthError('login_required', 'another user has signed in') };
    }
    const opened = await this.answerRequest.open(tx, prepared, session, agreed);
    if (opened === undefined || 'consent' in opened) throw new FlowGone();
    return opened;
  }
}

/** From where names are typed in a flow; on a page outside of any no organization's names come first. */
export function placeOf(flow: Flow | undefined): SignInPlace {
  if (flow === undefined) return {};
  const { required, application, destination } = flow;
  return {
    named: required?.id,
    application: application?.orgId,
    ownPages: destination !== 'application',
  };
}

/** The client may have named somebody, and somebody else has signed in (OpenID Connect Core §3.1.2.1). */
function isHinted({ hintedUserId }: AuthorizationRequest, { userId }: Session): boolean {
  return hintedUserId === undefined || hintedUserId === userId;
}

/** Whether a parameter could be the id of a flow. */
export function isFlowId(id: string | undefined): id is AuthRequestId {
  return id !== undefined && RANDOM_ID.test(id);
}
