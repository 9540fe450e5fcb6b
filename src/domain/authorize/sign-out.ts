import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../clients/application.js';
import { ApplicationsStore } from '../clients/applications.store.js';
import { isClientId } from '../clients/client-id.js';
import type { OrganizationLook } from '../orgs/organization-look.js';
import { OrgsStore } from '../orgs/orgs.store.js';
import { BrowserAgents } from '../sessions/browser-agents.js';
import { EndSessions } from '../sessions/end-session.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { ReadIdTokenHint } from './id-token-hint.js';

/** A sign-out request whose parameters agree with each other and with the application. */
export interface SignOutRequest {
  /** Registered. A URI that comes without any client cannot be proven, so it is left out and nobody is sent there. */
  readonly redirectUri?: string;
  readonly state?: string;
  readonly hintedUserId?: string;
  /** Of the application, else of the default organization. */
  readonly organization?: OrganizationLook;
}

/**
 * Signing out (OpenID Connect RP-Initiated Logout 1.0 §2, §3). A hint for a user who is signed in here proves that
 * the request comes from an application they use; anything less asks the person first, so that no image tag on a
 * strange page can sign anybody out.
 */
@Injectable()
export class SignOut {
  constructor(
    private readonly agents: BrowserAgents,
    private readonly endSessions: EndSessions,
    private readonly applications: ApplicationsStore,
    private readonly orgs: OrgsStore,
    private readonly readIdTokenHint: ReadIdTokenHint,
  ) {}

  /** @throws OAuthError to be shown: nothing here may redirect before it is proven */
  async check(parameters: OAuthParameters): Promise<SignOutRequest> {
    parameters.refuseRepeated();
    const hintText = parameters.get('id_token_hint');
    const hint = hintText === undefined ? undefined : await this.readIdTokenHint.read(hintText);
    const named = parameters.get('client_id');
    if (hint !== undefined && named !== undefined && named !== hint.clientId) {
      throw new OAuthError('invalid_request', 'client_id does not match azp of id_token_hint');
    }
    const clientId = hint?.clientId ?? named;
    const application =
      clientId !== undefined && isClientId(clientId)
        ? await this.applications.findBrowserClient(clientId)
        : undefined;
    if (named !== undefined && application === undefined) {
      throw new OAuthError('invalid_request', 'client_id is unknown');
    }
    const redirectUri =
      clientId === undefined
        ? undefined
        : registeredUri(parameters, application?.active ? application : undefined);
    const state = parameters.get('state');
    const organization = application?.organization ?? (await this.orgs.findDefaultLook());
    return {
      ...(redirectUri === undefined ? {} : { redirectUri }),
      ...(state === undefined ? {} : { state }),
      ...(hint === undefined ? {} : { hintedUserId: hint.subject }),
      ...(organization === undefined ? {} : { organization }),
    };
  }

  /** @returns false when the person must confirm first */
  async run(request: SignOutRequest, agentSecret: string | undefined, confirmed: boolean): Promise<boolean> {
    const agent = await this.agents.find(agentSecret);
    if (agent === undefined || agent.sessions.length === 0) return true;
    const proven = agent.sessions.some((session) => session.userId === request.hintedUserId);
    if (!proven && !confirmed) return false;
    await this.endSessions.endAll(agent);
    return true;
  }
}

/** @throws OAuthError when the client has not registered the URI: strings are compared exactly (§3.1) */
function registeredUri(
  parameters: OAuthParameters,
  application: BrowserApplication | undefined,
): string | undefined {
  const uri = parameters.get('post_logout_redirect_uri');
  if (uri === undefined || application?.postLogoutRedirectUris.includes(uri) === true) return uri;
  throw new OAuthError('invalid_request', 'post_logout_redirect_uri is not registered for this application');
}
