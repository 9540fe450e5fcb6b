import { Injectable } from '@nestjs/common';
import { gives } from '../../applications/oidc-config.js';
import { confirmationOfKey } from '../../authorizations/confirmation.js';
import { ApiError, OAuthError } from '../../shared/errors.js';
import { Log } from '../../shared/log.js';
import { issueRequestOf, IssueTokens } from '../../tokens/issue-tokens.js';
import type { AuthorizationRequest } from '../auth-request.js';
import type { OpenedAnswer } from './create-authorization.js';

/** What goes to the application's redirect URI; state and issuer are added where it is sent. */
export type AuthorizationAnswer = { readonly request: AuthorizationRequest } & (
  { readonly parameters: Readonly<Record<string, string>> } | { readonly refusal: OAuthError }
);

/** Signs what an answer holds, once its grant is committed. */
@Injectable()
export class FinishAnswer {
  constructor(
    private readonly issueTokens: IssueTokens,
    private readonly log: Log,
  ) {}

  /**
   * Mints what travels through the browser. Never rejects: the sign-in is committed by now, and an error in its place
   * would cost the browser its new secret. Errors are returned to the application.
   */
  async execute(opened: OpenedAnswer): Promise<AuthorizationAnswer> {
    const { request } = opened;
    try {
      return { request, parameters: await this.parametersOf(opened) };
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unavailable') {
        return { request, refusal: new OAuthError('temporarily_unavailable', 'temporarily unavailable') };
      }
      if (error instanceof OAuthError) return { request, refusal: error };
      this.log.error('a sign-in could not be answered', error, {
        authorizationId: opened.grant.authorizationId,
      });
      return { request, refusal: new OAuthError('server_error', 'internal error') };
    }
  }

  private async parametersOf({
    request,
    application,
    grant,
    code,
  }: OpenedAnswer): Promise<Readonly<Record<string, string>>> {
    const coded = code === undefined ? {} : { code };
    const parts = {
      accessToken: gives(request.responseType, 'token'),
      idToken: gives(request.responseType, 'id_token'),
    };
    if (!parts.accessToken && !parts.idToken) return coded;
    const asked = issueRequestOf(application, grant, grant.scopes);
    const issued = await this.issueTokens.issueInFront(asked, {
      ...parts,
      ...coded,
      ...(request.dpopJkt === undefined ? {} : { boundTo: confirmationOfKey(request.dpopJkt) }),
    });
    const idToken = issued.idToken === undefined ? {} : { id_token: issued.idToken };
    // a code alone is returned without other parameters (OpenID Connect Core §3.3.2.5)
    if (code !== undefined && !parts.accessToken) return { ...coded, ...idToken };
    // only the access token is conditional in the answer of protocol §8.2, so an ID token alone has the other three as well; OpenID
    // Connect Core §3.2.2.5 leaves them out there, and clients must ignore what they do not know (RFC 6749 §4.2.2)
    return {
      ...coded,
      ...(issued.accessToken === undefined ? {} : { access_token: issued.accessToken }),
      token_type: 'Bearer',
      expires_in: String(issued.expiresIn),
      ...idToken,
      scope: asked.scopes.join(' '),
    };
  }
}
