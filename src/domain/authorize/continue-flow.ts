import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../clients/application.js';
import { ApplicationsStore } from '../clients/applications.store.js';
import { BrowserAgents } from '../sessions/browser-agents.js';
import type { BrowserAgent, NewAgent, Session } from '../sessions/session.js';
import { OAuthError } from '../shared/errors.js';
import type { AuthRequestId } from '../shared/ids.js';
import { randomToken } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { BrowserChanged, SignIn } from '../sign-in/sign-in.js';
import { AnswerWithCode, type PreparedAnswer } from './answer-with-code.js';
import type { AuthorizationRequest, OpenAuthRequest, OwnDestination } from './auth-request.js';
import { AuthRequestsStore } from './auth-requests.store.js';
import { AUTH_REQUEST_SECONDS } from './begin-authorization.js';

/** A flow as its pages see it. */
export interface Flow {
  readonly id: AuthRequestId;
  readonly agent: BrowserAgent;
  readonly destination: OpenAuthRequest['destination'];
  readonly request?: AuthorizationRequest;
  readonly application?: BrowserApplication;
}

/** What goes to the application's redirect URI. */
export type FlowAnswer = { readonly request: AuthorizationRequest } & (
  { readonly code: string } | { readonly refusal: OAuthError }
);

export type FlowResult =
  | { readonly kind: 'refused' }
  /** Answered already, expired, or begun in another browser. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'done';
      readonly agent: NewAgent;
      readonly destination: OpenAuthRequest['destination'];
      /** Present for an application. */
      readonly answer?: FlowAnswer;
    };

/** Thrown inside the sign-in's transaction to undo it when the flow was answered meanwhile. */
class FlowGone extends Error {}

/** The part of a flow that happens on our pages. A flow answers only to the browser that began it. */
@Injectable()
export class ContinueFlow {
  constructor(
    private readonly agents: BrowserAgents,
    private readonly authRequests: AuthRequestsStore,
    private readonly applications: ApplicationsStore,
    private readonly signIn: SignIn,
    private readonly answerWithCode: AnswerWithCode,
  ) {}

  /** Begins a sign-in that no application asked for; the destination is one of ours, by name. */
  async beginOwn(
    destination: OwnDestination,
    agentSecret: string | undefined,
  ): Promise<{ flow: AuthRequestId; newAgent?: NewAgent }> {
    const agent = await this.agents.find(agentSecret);
    const newAgent = agent === undefined ? await this.agents.welcome() : undefined;
    const userAgentId = agent?.id ?? newAgent?.id;
    if (userAgentId === undefined) throw new Error('a flow without a browser');
    const flow = randomToken(16) as AuthRequestId;
    await this.authRequests.add({ id: flow, userAgentId, destination }, AUTH_REQUEST_SECONDS);
    return { flow, ...(newAgent === undefined ? {} : { newAgent }) };
  }

  async find(id: string | undefined, agentSecret: string | undefined): Promise<Flow | undefined> {
    if (id === undefined || !/^[A-Za-z0-9_-]{22}$/.test(id)) return undefined;
    const agent = await this.agents.find(agentSecret);
    if (agent === undefined) return undefined;
    const open = await this.authRequests.findOpen(id as AuthRequestId, agent.id);
    if (open === undefined) return undefined;
    const { request } = open;
    const application =
      request === undefined
        ? undefined
        : await this.applications.findBrowserApplication(request.applicationId);
    return {
      id: open.id,
      agent,
      destination: open.destination,
      ...(request === undefined ? {} : { request }),
      ...(application === undefined ? {} : { application }),
    };
  }

  async submitPassword(
    flow: Flow,
    agentSecret: string,
    credentials: {
      readonly loginName: string;
      readonly password: string;
      readonly device?: string | undefined;
    },
  ): Promise<FlowResult> {
    let answer: FlowAnswer | undefined;
    try {
      const prepared = await this.prepare(flow);
      const result = await this.signIn.signIn({
        ...credentials,
        userAgentId: flow.agent.id,
        agentSecret,
        conclude: async (tx, session) => {
          // a double submit, or a second tab, finds it closed: one flow gives one answer
          if (!(await this.authRequests.close(tx, flow.id))) throw new FlowGone();
          if (prepared !== undefined) answer = await this.answer(tx, prepared, session);
        },
      });
      if (result.kind === 'refused') return result;
      return {
        kind: 'done',
        agent: result.agent,
        destination: flow.destination,
        ...(answer === undefined ? {} : { answer }),
      };
    } catch (error) {
      if (error instanceof FlowGone || error instanceof BrowserChanged) return { kind: 'gone' };
      throw error;
    }
  }

  /** Undefined for a flow of our own. @throws FlowGone when the application was switched off meanwhile */
  private async prepare({ request, application }: Flow): Promise<PreparedAnswer | undefined> {
    if (request === undefined) return undefined;
    if (application?.active !== true) throw new FlowGone();
    return await this.answerWithCode.prepare(request, application);
  }

  private async answer(tx: Tx, prepared: PreparedAnswer, session: Session): Promise<FlowAnswer> {
    const { request } = prepared;
    // the client named somebody by id_token_hint, and somebody else has signed in (OpenID Connect Core §3.1.2.1)
    if (request.hintedUserId !== undefined && request.hintedUserId !== session.userId) {
      return { request, refusal: new OAuthError('login_required', 'another user has signed in') };
    }
    const code = await this.answerWithCode.open(tx, prepared, session);
    if (code === undefined) throw new FlowGone();
    return { request, code };
  }
}
