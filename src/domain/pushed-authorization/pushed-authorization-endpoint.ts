import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { gives } from '../applications/oidc-config.js';
import type { AuthorizationRequest } from '../authorize/auth-request.js';
import { AuthRequestsStore } from '../authorize/auth-requests.store.js';
import {
  hashOfRequestUri,
  makeRequestUri,
  PUSHED_REQUEST_SECONDS,
} from '../authorize/request/pushed-request.js';
import { ReadPushedRequest } from '../authorize/request/read-pushed-request.js';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { letIn, onAccountOf } from '../client-auth/client-fault.js';
import { CheckDpopProof, type PresentedProof } from '../dpop/check-dpop-proof.js';
import { DpopFault } from '../dpop/dpop-proof.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { RequestedAudience } from '../tokens/audience/requested-audience.js';
import { ResourceIndicators } from '../tokens/audience/resource-indicators.js';

/** RFC 9126 §2.2. */
interface PushedAuthorizationResponse {
  readonly request_uri: string;
  readonly expires_in: number;
}

/**
 * The pushed authorization request endpoint (RFC 9126 §2): an application sends its request by itself, authenticated as at
 * the token endpoint, and the browser carries only a reference to it. Errors in the request are returned here.
 */
@Injectable()
export class PushedAuthorizationEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly readRequest: ReadPushedRequest,
    private readonly requestedAudience: RequestedAudience,
    private readonly authRequests: AuthRequestsStore,
    private readonly proofs: CheckDpopProof,
    private readonly resources: ResourceIndicators,
  ) {}

  /**
   * @param proof of a key that the code is to be bound to, as `dpop_jkt` does (RFC 9449 §10.1)
   * @param admit asked before anything is put on file; throws to refuse
   * @throws OAuthError
   */
  async answer(
    credentials: ClientCredentials,
    proof: PresentedProof | undefined,
    admit: (application: Application) => Promise<void>,
  ): Promise<PushedAuthorizationResponse> {
    const { parameters } = credentials;
    parameters.refuseRepeated(this.resources.mayRepeat);
    const application = await this.authenticateClient.authenticate(credentials);
    return await onAccountOf(letIn(application), async () => {
      const held = proof && (await this.proofs.verify(proof, application));
      const request = await this.read(application, parameters, held?.jkt);
      await admit(application);
      if (held !== undefined) await this.proofs.useUp(held);
      const requestUri = makeRequestUri();
      await this.authRequests.addPushed(hashOfRequestUri(requestUri), request, PUSHED_REQUEST_SECONDS);
      return { request_uri: requestUri, expires_in: PUSHED_REQUEST_SECONDS };
    });
  }

  private async read(
    application: Application,
    parameters: OAuthParameters,
    jkt: string | undefined,
  ): Promise<AuthorizationRequest> {
    const request = await this.readRequest.execute(parameters, application.clientId);
    const requested = await this.requestedAudience.of(request.scopes, application);
    if ('refusal' in requested) throw requested.refusal;
    if (jkt === undefined || !gives(request.responseType, 'code')) return request;
    if (request.dpopJkt !== undefined && request.dpopJkt !== jkt) {
      throw new DpopFault('invalid_dpop_proof', 'DPoP proof: dpop_jkt names another key');
    }
    return { ...request, dpopJkt: jkt };
  }
}
