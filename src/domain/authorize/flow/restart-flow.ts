import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { UserAgents } from '../../sessions/user-agents.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { isStillServed } from '../request/validate-request.js';
import { BeginFlow, type AdmitFlow } from './begin-flow.js';
import { DecideRequest, type BeginOutcome } from './decide-request.js';
import { isFlowId } from './find-flow.js';

type RestartOutcome =
  | BeginOutcome
  /** The code has to be typed again. */
  | { readonly kind: 'device' }
  /** Its application has to push another. */
  | { readonly kind: 'pushed'; readonly application: BrowserApplication };

/**
 * Restarts a flow: the same request, evaluated again, in this browser. The flow may belong to another browser, as
 * after two tabs of a new browser got a cookie each: its id gives no more access than the address that
 * the application sent the browser to, and the flow itself is unchanged (security S038). A pushed request can be used once, so
 * only its application can start it again.
 */
@Injectable()
export class RestartFlow {
  constructor(
    private readonly agents: UserAgents,
    private readonly authRequests: AuthRequestsStore,
    private readonly applications: ApplicationsStore,
    private readonly beginFlow: BeginFlow,
    private readonly decideRequest: DecideRequest,
  ) {}

  /** @throws OAuthError as the request got it, or would have got it */
  async execute(
    id: string | undefined,
    userAgentSecret: string | undefined,
    admit: AdmitFlow,
  ): Promise<RestartOutcome | undefined> {
    const found = isFlowId(id) ? await this.authRequests.findAny(id) : undefined;
    if (found === undefined) return undefined;
    const { request, destination, ownScopes = [] } = found;
    const agent = await this.agents.find(userAgentSecret);
    if (destination !== 'application') {
      const begun = await this.beginFlow.begin(agent, { destination, ownScopes }, admit);
      return { kind: 'interact', page: 'sign-in', ...begun };
    }
    if (request === undefined) return undefined;
    // a link to here would take whoever follows it past the page on which they type the code themselves (RFC 8628 §5.4)
    if (request.deviceAuthorizationId !== undefined) return { kind: 'device' };
    const application = await this.applications.findBrowserApplication(request.applicationId);
    if (!isStillServed(request, application)) return undefined;
    if (request.pushed === true) return { kind: 'pushed', application };
    return await this.decideRequest.execute(request, application, agent, admit);
  }
}
