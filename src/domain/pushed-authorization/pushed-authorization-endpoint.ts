import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { hashOfRequestUri, makeRequestUri, PUSHED_REQUEST_SECONDS } from '../authorize/pushed-request.js';
import { PushedRequestsStore } from '../authorize/pushed-requests.store.js';
import { ReadRequest } from '../authorize/read-request.js';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { letIn, onAccountOf } from '../client-auth/client-fault.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { RequestedAudience } from '../tokens/requested-audience.js';

/** RFC 9126 §2.2. */
export interface PushedAuthorizationResponse {
  readonly request_uri: string;
  readonly expires_in: number;
}

/**
 * The pushed authorization request endpoint (RFC 9126 §2): an application sends its request by itself, authenticated as at
 * the token endpoint, and the browser brings no more than a name for it. What is wrong with the request is told here.
 */
@Injectable()
export class PushedAuthorizationEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly readRequest: ReadRequest,
    private readonly requestedAudience: RequestedAudience,
    private readonly pushedRequests: PushedRequestsStore,
  ) {}

  /**
   * @param admit asked before anything is put on file; throws to refuse
   * @throws OAuthError
   */
  async answer(
    credentials: ClientCredentials,
    admit: (application: Application) => Promise<void>,
  ): Promise<PushedAuthorizationResponse> {
    const { parameters } = credentials;
    parameters.refuseRepeated();
    const application = await this.authenticateClient.authenticate(credentials);
    return await onAccountOf(letIn(application), () => this.push(application, parameters, admit));
  }

  private async push(
    application: Application,
    parameters: OAuthParameters,
    admit: (application: Application) => Promise<void>,
  ): Promise<PushedAuthorizationResponse> {
    const request = await this.readRequest.validatePushed(parameters, application.clientId);
    const requested = await this.requestedAudience.of(request.scopes, application);
    if ('refusal' in requested) throw requested.refusal;
    await admit(application);
    const requestUri = makeRequestUri();
    await this.pushedRequests.add(hashOfRequestUri(requestUri), request, PUSHED_REQUEST_SECONDS);
    return { request_uri: requestUri, expires_in: PUSHED_REQUEST_SECONDS };
  }
}
