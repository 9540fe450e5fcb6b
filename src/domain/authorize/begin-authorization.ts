import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../clients/applications.store.js';
import type { BrowserAgent, NewAgent, Session } from '../sessions/session.js';
import { BrowserAgents } from '../sessions/browser-agents.js';
import { OAuthError } from '../shared/errors.js';
import type { AuthRequestId } from '../shared/ids.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { randomToken } from '../shared/random.js';
import { AnswerRequest, type AuthorizationAnswer } from './answer-request.js';
import type { AuthorizationRequest } from './auth-request.js';
import { AuthRequestsStore } from './auth-requests.store.js';
import { ReadIdTokenHint } from './id-token-hint.js';
import { proveClient, type ProvenClient, validateRequest } from './validate-request.js';

/** How long a user may take to sign in. */
export const AUTH_REQUEST_SECONDS = 3600;

/** What the endpoint answers: something for the client, or the sign-in page for a browser that may be new. */
export type BeginOutcome =
  | { readonly kind: 'answer'; readonly answer: AuthorizationAnswer }
  | { readonly kind: 'interact'; readonly flow: AuthRequestId; readonly newAgent?: NewAgent };

/** The authorization endpoint (OpenID Connect Core §3.1.2) after parsing: prove, validate, answer or ask. */
@Injectable()
export class BeginAuthorization {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly agents: BrowserAgents,
    private readonly authRequests: AuthRequestsStore,
    private readonly readIdTokenHint: ReadIdTokenHint,
    private readonly answerRequest: AnswerRequest,
  ) {}

  /** Phase one. @throws OAuthError to be shown on our own page */
  async prove(parameters: OAuthParameters): Promise<ProvenClient> {
    return await proveClient(parameters, (clientId) => this.applications.findBrowserClient(clientId));
  }

  /** Phase two. @throws OAuthError to be sent to the client */
  async begin(
    parameters: OAuthParameters,
    client: ProvenClient,
    agentSecret: string | undefined,
  ): Promise<BeginOutcome> {
    const request = await this.withHint(parameters, validateRequest(parameters, client));
    const agent = await this.agents.find(agentSecret);
    const session = satisfyingSession(request, agent);
    if (session !== undefined) {
      const prepared = await this.answerRequest.prepare(request, client.application);
      const answer = await this.answerRequest.answer(prepared, session);
      // without an answer the session has just ended, so the user is as good as signed out
      if (answer !== undefined) return { kind: 'answer', answer };
    }
    if (request.prompts.includes('none')) {
      throw new OAuthError('login_required', 'the user must sign in');
    }
    return await this.askUser(request, agent);
  }

  private async withHint(
    parameters: OAuthParameters,
    request: AuthorizationRequest,
  ): Promise<AuthorizationRequest> {
    const hint = parameters.get('id_token_hint');
    if (hint === undefined) return request;
    const { subject } = await this.readIdTokenHint.read(hint);
    if (request.hintedUserId !== undefined && request.hintedUserId !== subject) {
      throw new OAuthError('login_required', 'id_token_hint and claims name different users');
    }
    return { ...request, hintedUserId: subject };
  }

  private async askUser(
    request: AuthorizationRequest,
    agent: BrowserAgent | undefined,
  ): Promise<BeginOutcome> {
    const newAgent = agent === undefined ? await this.agents.welcome() : undefined;
    const userAgentId = agent?.id ?? newAgent?.id;
    if (userAgentId === undefined) throw new Error('a flow without a browser');
    const flow = randomToken(16) as AuthRequestId;
    await this.authRequests.add(
      { id: flow, userAgentId, destination: 'application', request },
      AUTH_REQUEST_SECONDS,
    );
    return { kind: 'interact', flow, ...(newAgent === undefined ? {} : { newAgent }) };
  }
}

/**
 * The session that satisfies a request without asking the user anything, if there is one. This is the only place
 * where prompt and max_age are held against a session's age.
 */
function satisfyingSession(
  request: AuthorizationRequest,
  agent: BrowserAgent | undefined,
): Session | undefined {
  if (agent === undefined || request.prompts.includes('login')) return undefined;
  const { hintedUserId, maxAge } = request;
  const candidate = agent.sessions.find(
    (session) => hintedUserId === undefined || session.userId === hintedUserId,
  );
  if (candidate === undefined) return undefined;
  return maxAge === undefined || candidate.authAgeSeconds <= maxAge ? candidate : undefined;
}
