import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import type { OrganizationBranding } from '../../organizations/organization-branding.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import type { Session, UserAgent } from '../../sessions/session.js';
import { UserAgents } from '../../sessions/user-agents.js';
import type { AuthRequestId } from '../../shared/ids.js';
import { RANDOM_ID } from '../../shared/random.js';
import type { SignInPlace } from '../../sign-in/sign-in-names.store.js';
import { AdmitUser, type RequiredOrganization } from '../answer/admit-user.js';
import type { AuthorizationRequest, FoundAuthRequest, PendingIdentity } from '../auth-request.js';
import { AuthRequestsStore } from '../auth-requests.store.js';

/** A flow as its pages see it. */
export interface Flow {
  readonly id: AuthRequestId;
  readonly agent: UserAgent;
  readonly destination: FoundAuthRequest['destination'];
  readonly request?: AuthorizationRequest;
  readonly application?: BrowserApplication;
  /** Present if the user of this session has a step to complete first. */
  readonly session?: Session;
  readonly begunAt: number;
  /** The browser, by which the owner will recognize a session that begins now; set by the controller that reads the request. */
  readonly device?: string | undefined;
  /** The one whose users alone may answer, if the request names one; of a sign-in of our own, the one that it is for. */
  readonly required?: RequiredOrganization;
  /** Of the organization that the request names, else of the application's, else of the default one. */
  readonly organization?: OrganizationBranding;
  /** Who its user is at a provider, until they have shown who they are here. */
  readonly pendingIdentity?: PendingIdentity;
}

/** Finds the flow of a request to our pages. A flow answers only to the browser that began it. */
@Injectable()
export class FindFlow {
  constructor(
    private readonly agents: UserAgents,
    private readonly authRequests: AuthRequestsStore,
    private readonly applications: ApplicationsStore,
    private readonly orgs: OrganizationsStore,
    private readonly admitUser: AdmitUser,
  ) {}

  async find(id: string | undefined, userAgentSecret: string | undefined): Promise<Flow | undefined> {
    return await this.read(id, userAgentSecret, (flow, agent) => this.authRequests.findOpen(flow, agent.id));
  }

  /** One of this browser that was answered or has expired, for the page that says so. */
  async findOver(id: string | undefined, userAgentSecret: string | undefined): Promise<Flow | undefined> {
    return await this.read(id, userAgentSecret, (flow, agent) => this.authRequests.findOver(flow, agent.id));
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
    const { request, destination, begunAt, pendingIdentity, ownScopes = [] } = found;
    const application =
      request === undefined
        ? undefined
        : await this.applications.findBrowserApplication(request.applicationId);
    const session = agent.sessions.find((candidate) => candidate.id === found.sessionId);
    const required = await this.admitUser.requiredOrganization(request?.scopes ?? ownScopes);
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
      ...(pendingIdentity === undefined ? {} : { pendingIdentity }),
    };
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

/** Whether somebody who is signed in shows once more who they are (/account/confirm): a sign-in of our own for one organization. */
export function isConfirming({ request, required }: Pick<Flow, 'request' | 'required'>): boolean {
  return request === undefined && required !== undefined;
}

/** Whether a parameter could be the id of a flow. */
export function isFlowId(id: string | undefined): id is AuthRequestId {
  return id !== undefined && RANDOM_ID.test(id);
}
