import type { Application } from '../applications/application.js';
import type { ClientAuthMethod } from '../applications/oidc-config.js';
import type { Confirmation } from '../authorizations/confirmation.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import type { ServiceUserClient } from '../service-users/service-users.store.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import type { IssueRequest } from '../tokens/issue-request.js';
import type { IssuedTokenType } from './exchange/token-types.js';

/** What a grant type has verified: of whom, for which client and how far the tokens are. */
export interface GrantOutcome {
  readonly tokens: IssueRequest;
  readonly refreshToken?: string;
  /** Of a token exchange: what was asked for (RFC 8693 §3). */
  readonly exchangedFor?: IssuedTokenType;
  /** Where no tokens could be issued: makes good again what was used up for them, so that the client can try again. */
  readonly undo?: () => Promise<void>;
}

/**
 * A grant type of the token endpoint. It verifies on whose behalf the client acts and how far; it never mints tokens,
 * and the endpoint calls its steps, so that it cannot skip one that all grants share. A grant is one of two kinds, by
 * who its client is.
 */
abstract class AnyGrantType {
  /** Value of `grant_type`. */
  abstract readonly type: string;
  /** Whether scope `openid` gets an ID token here. */
  readonly givesIdToken: boolean = true;
  /** Parameters that may come more than once (RFC 6749 §3.2 has none). */
  readonly mayRepeat: readonly string[] = [];
}

/** The client is an application, which the endpoint authenticates by the method that it is pinned to. */
export abstract class ApplicationGrantType extends AnyGrantType {
  readonly clients = 'applications';
  /** The methods that the grant takes. */
  abstract readonly clientAuthMethods: readonly ClientAuthMethod[];
  /** Whether its tokens may be for a part of what was granted (RFC 8707 §2.2). */
  readonly narrows: boolean = false;

  /** What the tokens would be for, where that can be known before anything is used up. */
  grantedAudience(
    _application: Application,
    _parameters: OAuthParameters,
  ): Promise<readonly string[] | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * @param confirmation what the client has shown to have and its tokens become bound to (RFC 9449, RFC 8705)
   * @throws OAuthError invalid_grant, invalid_request or invalid_scope
   */
  abstract verify(
    application: Application,
    parameters: OAuthParameters,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome>;
}

/**
 * The client is a service user, which is the subject as well. Whoever has the credential that the grant asks for may use
 * it: making one is what allows it.
 */
export abstract class ServiceUserGrantType extends AnyGrantType {
  readonly clients = 'service-users';
  /** Who it is, by the credential of this grant. @throws OAuthError in the words of the grant's own RFC */
  abstract authenticate(credentials: ClientCredentials): Promise<ServiceUserClient>;
  /** @throws OAuthError invalid_grant, invalid_request or invalid_scope */
  abstract verify(user: ServiceUserClient, parameters: OAuthParameters): Promise<GrantOutcome>;
}

export type GrantType = ApplicationGrantType | ServiceUserGrantType;
