import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../../applications/application.js';
import type { NewUserAgent, Session, UserAgent } from '../../sessions/session.js';
import { OAuthError } from '../../shared/errors.js';
import type { AuthRequestId } from '../../shared/ids.js';
import { ResolveLoginName } from '../../sign-in/resolve-login-name.js';
import type { SignInPlace } from '../../sign-in/sign-in-names.store.js';
import { AskToVerifyEmail } from '../../users/verification/ask-to-verify-email.js';
import { AnswerRequest } from '../answer/answer-request.js';
import type { AuthorizationAnswer } from '../answer/finish-answer.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { BeginFlow, type AdmitFlow, type FlowPage, type FlowStep } from './begin-flow.js';
import { judgeSessions, type Judgement } from './judge-sessions.js';
import { unmet } from './step-up.js';

/** What the endpoint answers: something for the client, or one of our pages for a browser that may be new. */
export type BeginOutcome =
  | {
      readonly kind: 'answer';
      readonly answer: AuthorizationAnswer;
      readonly application: BrowserApplication;
    }
  | {
      readonly kind: 'interact';
      readonly page: FlowPage;
      readonly flow: AuthRequestId;
      readonly newAgent?: NewUserAgent;
    };

/** A request that leads to a page. */
type Asking =
  | Exclude<Judgement, { kind: 'answer' | 'act' | 'unmet' }>
  | { readonly kind: 'act'; readonly session: Session; readonly step: FlowStep };

/** Answers a valid request by the sessions of this browser, or begins the flow that asks its user for what is missing. */
@Injectable()
export class DecideRequest {
  constructor(
    private readonly answerRequest: AnswerRequest,
    private readonly beginFlow: BeginFlow,
    private readonly resolveLoginName: ResolveLoginName,
    private readonly askToVerifyEmail: AskToVerifyEmail,
  ) {}

  /** @param flow the id that the flow is to have. @throws OAuthError for the client */
  async execute(
    request: AuthorizationRequest,
    application: BrowserApplication,
    agent: UserAgent | undefined,
    admit: AdmitFlow,
    flow?: AuthRequestId,
  ): Promise<BeginOutcome> {
    const prepared = await this.answerRequest.prepare(request, application);
    const { requested, organization } = prepared;
    // before anybody is asked to sign in for what cannot be had
    if ('refusal' in requested) throw requested.refusal;
    const hinted = await this.userNamedBy(request, agent, {
      named: organization?.id,
      application: application.orgId,
    });
    const judgement = judgeSessions(request, agent, hinted, organization);
    if (judgement.kind === 'answer') {
      const { session } = judgement;
      const answer = await this.answerRequest.answer(prepared, session);
      if (answer !== undefined && 'consent' in answer) {
        return await this.ask(request, agent, { kind: 'act', session, step: 'consent' }, admit, flow);
      }
      // signed in with an account that the device is not for: its user may have another
      if (answer !== undefined && 'refusal' in answer && request.deviceAuthorizationId !== undefined) {
        return await this.ask(request, agent, { kind: 'choose' }, admit, flow);
      }
      // without an answer the session has just ended, so the user is as good as signed out
      if (answer !== undefined) return { kind: 'answer', answer, application };
      return await this.ask(request, agent, { kind: 'sign-in' }, admit, flow);
    }
    if (judgement.kind === 'unmet') throw unmet();
    return await this.ask(request, agent, judgement, admit, flow);
  }

  private async ask(
    request: AuthorizationRequest,
    agent: UserAgent | undefined,
    judgement: Asking,
    admit: AdmitFlow,
    flow?: AuthRequestId,
  ): Promise<BeginOutcome> {
    if (request.prompts.includes('none')) throw refusalOfSilence(judgement);
    if (judgement.kind !== 'act') {
      const begun = await this.beginFlow.begin(agent, { destination: 'application', request }, admit, flow);
      return { kind: 'interact', page: judgement.kind, ...begun };
    }
    const { session, step } = judgement;
    if (step === 'verify-email') await this.askToVerifyEmail.unlessAsked(session);
    const purpose = { destination: 'application', request, sessionId: session.id } as const;
    return { kind: 'interact', page: step, ...(await this.beginFlow.begin(agent, purpose, admit, flow)) };
  }

  /** Only resolved if there are sessions to compare it with: otherwise the answer would reveal who exists. */
  private async userNamedBy(
    { loginHint }: AuthorizationRequest,
    agent: UserAgent | undefined,
    place: SignInPlace,
  ): Promise<string | undefined> {
    if (loginHint === undefined || agent === undefined || agent.sessions.length === 0) return undefined;
    return (await this.resolveLoginName.resolve(loginHint, place))?.userId;
  }
}

/** What prompt=none gets instead of a page (OpenID Connect Core §3.1.2.6). */
function refusalOfSilence({ kind }: Asking): OAuthError {
  switch (kind) {
    case 'act':
      return new OAuthError('interaction_required', 'the user must complete a step first');
    case 'choose':
      return new OAuthError('interaction_required', 'the user must choose one of several accounts');
    case 'register':
    case 'sign-in':
      return new OAuthError('login_required', 'the user must sign in');
  }
}
