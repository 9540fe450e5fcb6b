import { Injectable } from '@nestjs/common';
import { isClientId, type BrowserApplication } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { isRegisteredRedirectUri } from '../../applications/redirect-uri.js';
import { OAuthError, ParameterError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import { AuthRequestsStore } from '../auth-requests.store.js';
import { PublishedRequests } from './published-requests.js';
import { hashOfRequestUri, isPushed } from './pushed-request.js';
import { RecordMissedSettings } from './record-missed-settings.js';
import { OpenRequestObject } from './request-object.js';
import { isStillServed, requireApplication, verifyClient, type VerifiedClient } from './validate-request.js';

/** A pushed request that cannot be used: its application is not known, so the error is shown to the user. */
export class PushedRequestOver extends OAuthError {
  constructor() {
    super('invalid_request', 'request_uri has expired, was used, or is not of this client');
  }
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
 * Phase one of an authorization request (`validate-request.ts`): finds it where it stands, with the browser, in a request object
 * (RFC 9101) or where the application has pushed it (RFC 9126), and verifies whose it is and where its answer goes.
 */
@Injectable()
export class VerifyClient {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly authRequests: AuthRequestsStore,
    private readonly requestObjects: OpenRequestObject,
    private readonly publishedRequests: PublishedRequests,
    private readonly missedSettings: RecordMissedSettings,
  ) {}

  /** @throws OAuthError to be shown on our own page */
  async execute(parameters: OAuthParameters): Promise<VerifiedClient> {
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

  /** Whatever else the browser brings counts for nothing (RFC 9101 §5, §6.3), so that nobody can add to what was pushed. */
  private async takePushed(parameters: OAuthParameters, requestUri: string): Promise<VerifiedClient> {
    for (const name of ['client_id', 'request_uri']) {
      if (parameters.isRepeated(name)) throw new ParameterError(name, 'repeated');
    }
    const clientId = parameters.require('client_id');
    if (!isClientId(clientId)) throw new PushedRequestOver();
    const pushed = await this.authRequests.takePushed(hashOfRequestUri(requestUri), clientId);
    if (pushed === undefined) throw new PushedRequestOver();
    const request = { ...pushed.request, pushed: true };
    const application = await this.applications.findBrowserApplication(request.applicationId);
    // what its owner has taken away since
    if (!isStillServed(request, application)) throw new PushedRequestOver();
    return { application, redirectUri: request.redirectUri, pushed };
  }

  /**
   * From the `request_uri` that the application has registered (OpenID Connect Core §6.2). A failure to fetch it is returned to the
   * application if `redirect_uri` is known outside the request object; otherwise the user sees it.
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
    if (pushed !== undefined) await this.authRequests.giveBackPushed(pushed);
  }
}
