import { Injectable } from '@nestjs/common';
import type { BrowserApplication } from '../../applications/application.js';
import { OAuthError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import { ResourceIndicators } from '../../tokens/audience/resource-indicators.js';
import { PairwiseSubjects } from '../../tokens/claims/pairwise-subjects.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { ServedResponses } from '../checks/served-responses.js';
import { ReadIdTokenHint } from './id-token-hint.js';
import { validateRequest, type VerifiedClient } from './validate-request.js';

/** RFC 9101 §10.5. */
export function unsigned(): OAuthError {
  return new OAuthError('invalid_request', 'this application must sign its authorization requests');
}

/**
 * Phase two of an authorization request (`validate-request.ts`), by the same rules whether it comes with the browser or was pushed
 * by the application.
 */
@Injectable()
export class ReadRequest {
  constructor(
    private readonly resources: ResourceIndicators,
    private readonly served: ServedResponses,
    private readonly readIdTokenHint: ReadIdTokenHint,
    private readonly names: PairwiseSubjects,
  ) {}

  /** As it came with a browser. @throws OAuthError to be sent to the client */
  async ofBrowser(parameters: OAuthParameters, client: VerifiedClient): Promise<AuthorizationRequest> {
    if (client.pushed !== undefined) return { ...client.pushed.request, pushed: true };
    if (client.refusal !== undefined) throw client.refusal;
    if (client.application.requirePushedAuthorizationRequests) {
      throw new OAuthError('invalid_request', 'this application must push its authorization requests');
    }
    if (client.application.requireSignedRequestObject && client.parameters === undefined) throw unsigned();
    return await this.validate(client.parameters ?? parameters, client);
  }

  /** What a client that has been verified asks for. @throws OAuthError */
  async validate(parameters: OAuthParameters, client: VerifiedClient): Promise<AuthorizationRequest> {
    // what may be repeated is read by itself
    const others = this.resources.isServed ? parameters.without('resource') : parameters;
    const request = this.withNamed(validateRequest(others, client, this.served), client.application);
    const hinted = await this.withHint(others, request, client.application);
    const scopes = await this.resources.scopesWith(hinted.scopes, parameters, client.application);
    return { ...hinted, scopes };
  }

  /**
   * Whom `claims` names, by id. Of an application with pairwise subjects it is one of its own names: whoever could ask for an id
   * would learn by the answer that it is the person who is signed in.
   */
  private withNamed(request: AuthorizationRequest, application: BrowserApplication): AuthorizationRequest {
    if (request.hintedUserId === undefined) return request;
    const hintedUserId = this.names.userNamed(application, request.hintedUserId);
    if (hintedUserId !== undefined) return { ...request, hintedUserId };
    throw new OAuthError('login_required', 'claims names a user whom this application does not know');
  }

  private async withHint(
    parameters: OAuthParameters,
    request: AuthorizationRequest,
    application: BrowserApplication,
  ): Promise<AuthorizationRequest> {
    const hint = parameters.get('id_token_hint');
    if (hint === undefined) return request;
    const { subject, sub, clientId } = await this.readIdTokenHint.read(hint);
    // a hint issued to another application, with a subject that this one cannot have been given, would reveal that both have the
    // same user
    if (clientId !== application.clientId && this.names.userNamed(application, sub) !== subject) {
      throw new OAuthError(
        'login_required',
        'id_token_hint names a user whom this application does not know',
      );
    }
    if (request.hintedUserId !== undefined && request.hintedUserId !== subject) {
      throw new OAuthError('login_required', 'id_token_hint and claims name different users');
    }
    return { ...request, hintedUserId: subject };
  }
}
