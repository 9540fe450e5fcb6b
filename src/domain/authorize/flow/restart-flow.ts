import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { UserAgents } from '../../sessions/user-agents.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { isStillServed } from '../request/validate-request.js';
import { BeginFlow, type AdmitFlow } from './begin-flow.js';
import { DecideRequest, type BeginOutcome } from './decide-request.js';
import { isFlowId } from './find-flow.js';

export type RestartOutcome =
  | BeginOutcome
  /** The code has to be typed again. */
  | { readonly kind: 'device' }
  /** Its application has to push another. */
  | { readonly kind: 'pushed'; readonly application: BrowserApplication };

/**
 * Begins a flow again: the same request, judged anew, in this browser. The flow may be another browser's, as it is
 * after two tabs made two browsers of a new one: whoever knows its id gets no more by it than by the address that
 * the application sent them to, and the flow itself stays as it is (security S038). A pushed request is good once, and its address
 * would be good for nothing: only its application can begin again.
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
