import { Injectable } from '@nestjs/common';
import type { NewUserAgent, SessionStep, UserAgent } from '../../sessions/session.js';
import { UserAgents } from '../../sessions/user-agents.js';
import type { AuthRequestId, OrgId, SessionId } from '../../shared/ids.js';
import { randomId } from '../../shared/random.js';
import { organizationScope } from '../../tokens/scopes/reserved-scopes.js';
import type { AuthorizationRequest, OwnDestination } from '../auth-request.js';
import { AuthRequestsStore } from '../auth-requests.store.js';

/** How long a user may take to sign in. */
const AUTH_REQUEST_SECONDS = 3600;

/** What the user of a session has to do before this request is answered. */
export type FlowStep = SessionStep | 'consent';

/** The pages that a flow can lead to. */
export type FlowPage = 'sign-in' | 'choose' | 'register' | FlowStep;

export interface BegunFlow {
  readonly flow: AuthRequestId;
  /** For a browser that was not known before: the secret of its cookie. */
  readonly newAgent?: NewUserAgent;
}

/** What a flow is for: an application's request, or a page of ours. */
type FlowPurpose =
  | {
      readonly destination: 'application';
      readonly request: AuthorizationRequest;
      /** The session that is good enough once its user has done what they must do. */
      readonly sessionId?: SessionId;
    }
  | { readonly destination: OwnDestination; readonly ownScopes?: readonly string[] };

/**
 * Asked before a flow of a browser in which nobody ever signed in is put on file: its rows cost whoever sends the
 * requests nothing, a cookie no more than they do. Throws to refuse.
 */
export type AdmitFlow = () => Promise<void>;

/** Puts a sign-in on file, bound to the browser that begins it. */
@Injectable()
export class BeginFlow {
  constructor(
    private readonly agents: UserAgents,
    private readonly authRequests: AuthRequestsStore,
  ) {}

  /**
   * Begins a sign-in that no application asked for; the destination is one of ours, by name.
   *
   * @param orgId the one whose users it is for; never of a request, whose writer could lead people to any organization's provider
   */
  async beginOwn(
    destination: OwnDestination,
    userAgentSecret: string | undefined,
    admit: AdmitFlow,
    orgId?: OrgId,
  ): Promise<BegunFlow> {
    const ownScopes = orgId === undefined ? [] : [organizationScope(orgId)];
    return await this.begin(await this.agents.find(userAgentSecret), { destination, ownScopes }, admit);
  }

  /** @param flow its id, where that says what it came from */
  async begin(
    agent: UserAgent | undefined,
    purpose: FlowPurpose,
    admit: AdmitFlow,
    flow = randomId() as AuthRequestId,
  ): Promise<BegunFlow> {
    if (agent === undefined || agent.sessions.length + agent.lapsed.length === 0) await admit();
    const newAgent = agent === undefined ? await this.agents.welcome() : undefined;
    const userAgentId = agent?.id ?? newAgent?.id;
    if (userAgentId === undefined) throw new Error('a flow without a browser');
    await this.authRequests.add({ id: flow, userAgentId, ...purpose }, AUTH_REQUEST_SECONDS);
    return { flow, ...(newAgent === undefined ? {} : { newAgent }) };
  }
}
