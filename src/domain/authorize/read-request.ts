import { Injectable } from '@nestjs/common';
import { isClientId, type BrowserApplication } from '../applications/application.js';
import { ApplicationsStore } from '../applications/applications.store.js';
import { isRegisteredRedirectUri } from '../applications/redirect-uri.js';
import { OAuthError, ParameterError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { PairwiseNames } from '../tokens/pairwise-names.js';
import { ResourceIndicators } from '../tokens/resource-indicators.js';
import type { AuthorizationRequest } from './auth-request.js';
import { ServedResponses } from './checks/served-responses.js';
import { ReadIdTokenHint } from './id-token-hint.js';
import { PublishedRequests } from './published-requests.js';
import { hashOfRequestUri, isPushed } from './pushed-request.js';
import { PushedRequestsStore } from './pushed-requests.store.js';
import { RecordMissedSettings } from './record-missed-settings.js';
import { OpenRequestObject } from './request-object.js';
import {
  isStillServed,
  requireApplication,
  requireRedirectUri,
  validateRequest,
  verifyClient,
  type VerifiedClient,
} from './validate-request.js';

/** A pushed request that cannot be used: who it was for is not known, so the person is told. */
export class PushedRequestOver extends OAuthError {
  constructor() {
    super('invalid_request', 'request_uri has expired, was used, or is not of this client');
  }
}

/** RFC 9101 §10.5. */
function unsigned(): OAuthError {
  return new OAuthError('invalid_request', 'this application must sign its authorization requests');
}

function redirectUriOutside(
  parameters: OAuthParameters,
  application: BrowserApplication,
): string | undefined {
  const redirectUri = parameters.isRepeated('redirect_uri') ? undefined : parameters.get('redirect_uri');
  return redirectUri !== undefined &&
    isRegisteredRedirectUri(redirectUri, application.redirectUris, application.appType)
    ? redirectUri
    : undefined;
}

/**
 * Reads an authorization request, whether it comes with the browser or was pushed by the application (RFC 9126): the same
 * rules for both, in the two phases of `validate-request.ts`.
 */
@Injectable()
export class ReadRequest {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly pushedRequests: PushedRequestsStore,
    private readonly requestObjects: OpenRequestObject,
    private readonly publishedRequests: PublishedRequests,
    private readonly readIdTokenHint: ReadIdTokenHint,
    private readonly names: PairwiseNames,
    private readonly missedSettings: RecordMissedSettings,
    private readonly resources: ResourceIndicators,
    private readonly served: ServedResponses,
  ) {}

  /** Phase one. @throws OAuthError to be shown on our own page */
  async verifyClient(parameters: OAuthParameters): Promise<VerifiedClient> {
    const requestUri = parameters.get('request_uri');
    if (isPushed(requestUri)) return await this.takePushed(parameters, requestUri);
    if (this.requestObjects.isUsedBy(parameters)) {
      return await this.verifyInside(await this.requestObjects.execute(parameters));
    }
    return requestUri !== undefined && this.requestObjects.isReferredToBy(parameters)
      ? await this.takePublished(parameters, requestUri)
      : await this.verify(parameters);
  }

  private async verifyInside(inside: OAuthParameters): Promise<VerifiedClient> {
    return { ...(await this.verify(inside)), parameters: inside };
  }

  private async verify(parameters: OAuthParameters): Promise<VerifiedClient> {
    return await verifyClient(parameters, async (clientId) => {
      const application = await this.applications.findBrowserClient(clientId);
      // also of a request that is refused for it
      if (application?.active === true) await this.missedSettings.record(parameters, application);
      return application;
    });
  }

  /** Phase two. @throws OAuthError to be sent to the client */
  async validate(parameters: OAuthParameters, client: VerifiedClient): Promise<AuthorizationRequest> {
    if (client.pushed !== undefined) return { ...client.pushed.request, pushed: true };
    if (client.refusal !== undefined) throw client.refusal;
    if (client.application.requirePushedAuthorizationRequests) {
      throw new OAuthError('invalid_request', 'this application must push its authorization requests');
    }
    if (client.application.requireSignedRequestObject && client.parameters === undefined) throw unsigned();
    return await this.validated(client.parameters ?? parameters, client);
  }

  /**
   * Both phases, of a client that has authenticated and whose request is not with a browser yet.
   * @throws OAuthError for the client
   */
  async validatePushed(outside: OAuthParameters, clientId: string): Promise<AuthorizationRequest> {
    const application = await this.applications.findBrowserClient(clientId);
    if (application === undefined) throw new ParameterError('client_id', 'unknown');
    // what it stands for could say anything (RFC 9126 §2.1)
    if (outside.has('request_uri')) throw new ParameterError('request_uri', 'invalid');
    const { requireSignedRequestObject: isDemanded } = application;
    if (isDemanded && !outside.has('request')) throw unsigned();
    // of who has to sign they are taken here, whatever the instance does with those of others
    const isSigned = isDemanded || this.requestObjects.isUsedBy(outside);
    const parameters = isSigned
      ? await this.requestObjects.open(outside.require('request'), clientId, application)
      : outside;
    await this.missedSettings.record(parameters, application);
    const redirectUri = requireRedirectUri(parameters, application);
    return await this.validated(parameters, { application, redirectUri });
  }

  private async validated(
    parameters: OAuthParameters,
    client: VerifiedClient,
  ): Promise<AuthorizationRequest> {
    // what may be repeated is read by itself
    const others = this.resources.isServed ? parameters.without('resource') : parameters;
    const request = this.withNamed(validateRequest(others, client, this.served), client.application);
    const hinted = await this.withHint(others, request, client.application);
    const scopes = await this.resources.scopesWith(hinted.scopes, parameters, client.application);
    return { ...hinted, scopes };
  }

  /** Whatever else the browser brings counts for nothing (RFC 9101 §5, §6.3), so that nobody can add to what was pushed. */
  private async takePushed(parameters: OAuthParameters, requestUri: string): Promise<VerifiedClient> {
    for (const name of ['client_id', 'request_uri']) {
      if (parameters.isRepeated(name)) throw new ParameterError(name, 'repeated');
    }
    const clientId = parameters.require('client_id');
    if (!isClientId(clientId)) throw new PushedRequestOver();
    const pushed = await this.pushedRequests.take(hashOfRequestUri(requestUri), clientId);
    if (pushed === undefined) throw new PushedRequestOver();
    const { request } = pushed;
    const application = await this.applications.findBrowserApplication(request.applicationId);
    // what its owner has taken away since
    if (!isStillServed(request, application)) throw new PushedRequestOver();
    return { application, redirectUri: request.redirectUri, pushed };
  }

  /**
   * From the address that the application has registered for it (OpenID Connect Core §6.2). Why there is nothing there, the
   * application hears, where it stands outside to whom that is to be told; else the person does.
   */
  private async takePublished(parameters: OAuthParameters, requestUri: string): Promise<VerifiedClient> {
    for (const name of ['client_id', 'request_uri']) {
      if (parameters.isRepeated(name)) throw new ParameterError(name, 'repeated');
    }
    const application = await requireApplication(parameters, (id) => this.applications.findBrowserClient(id));
    // who has to push is refused without anybody being called
    if (application.requirePushedAuthorizationRequests) return await this.verify(parameters);
    let object: string;
    try {
      object = await this.publishedRequests.read(requestUri, application);
    } catch (refusal) {
      if (!(refusal instanceof OAuthError)) throw refusal;
      const redirectUri = redirectUriOutside(parameters, application);
      if (redirectUri === undefined) throw refusal;
      return { application, redirectUri, refusal };
    }
    return await this.verifyInside(
      await this.requestObjects.open(object, application.clientId, application, true),
    );
  }

  /** Of a browser that has to wait: it may come with the same name again. */
  async giveBack({ pushed }: VerifiedClient): Promise<void> {
    if (pushed !== undefined) await this.pushedRequests.giveBack(pushed);
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
    // another application's, by a name that this one cannot have been told, would tell that both know the same person
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
