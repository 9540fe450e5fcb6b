import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { Sealer } from '../../secrets/sealer.js';
import type { UserAgent } from '../../sessions/session.js';
import { UserAgents } from '../../sessions/user-agents.js';
import { Clock } from '../../shared/clock.js';
import type { AuthRequestId } from '../../shared/ids.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { isPushed, PUSHED_REQUEST_SECONDS } from '../request/pushed-request.js';
import { isStillServed } from '../request/validate-request.js';
import type { BegunFlow, FlowPage } from './begin-flow.js';

const ID_BYTES = 16;

/**
 * The flows that pushed requests have begun, for the browser that loads the address of one again before its user is through: a pushed
 * request is good for one answer and not for one page (FAPI 2.0 Security Profile §5.3.2.2, RFC 9126 §4). What finds the flow is its id, which comes from
 * the name of the request, by a key: who knows the one does not know the other.
 */
@Injectable()
export class PushedFlows {
  constructor(
    private readonly agents: UserAgents,
    private readonly authRequests: AuthRequestsStore,
    private readonly applications: ApplicationsStore,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  idOf(requestUri: string): AuthRequestId {
    const id = this.sealer.mac('pushed-flow', requestUri).subarray(0, ID_BYTES).toString('base64url');
    // as of every id, see `randomId`
    return id.replace(/^-/, 'A') as AuthRequestId;
  }

  /** Undefined for any other browser and client, and once it was answered or its time is over. */
  async resume(
    parameters: OAuthParameters,
    userAgentSecret: string | undefined,
  ): Promise<(BegunFlow & { readonly page: FlowPage }) | undefined> {
    const requestUri = parameters.get('request_uri');
    const agent = isPushed(requestUri) ? await this.agents.find(userAgentSecret) : undefined;
    if (!isPushed(requestUri) || agent === undefined) return undefined;
    const found = await this.authRequests.findOpen(this.idOf(requestUri), agent.id);
    const request = found?.request;
    if (found === undefined || request === undefined) return undefined;
    if (this.clock.nowSeconds() > found.begunAt + PUSHED_REQUEST_SECONDS) return undefined;
    const application = await this.applications.findBrowserApplication(request.applicationId);
    if (!isStillServed(request, application) || application.clientId !== parameters.get('client_id')) {
      return undefined;
    }
    const step = agent.sessions.find(({ id }) => id === found.sessionId)?.step;
    return { flow: found.id, page: step ?? firstPage(request, agent) };
  }
}

function firstPage({ prompts }: AuthorizationRequest, { sessions, lapsed }: UserAgent): FlowPage {
  if (prompts.includes('create')) return 'register';
  return sessions.length + lapsed.length === 0 ? 'sign-in' : 'choose';
}
