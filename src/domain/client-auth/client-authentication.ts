import type { Application } from '../applications/application.js';
import type { ClientAuthMethod } from '../applications/oidc-config.js';
import type { ClientCertificate } from '../certificates/client-certificate.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';

/** What a request presents to authenticate its client. */
export interface ClientCredentials {
  /** The Authorization header, as received. */
  readonly authorization: string | undefined;
  readonly parameters: OAuthParameters;
  /** That a proxy has handed on. */
  readonly certificate?: ClientCertificate | undefined;
}

/**
 * One method of client authentication (OpenID Connect Core §9). A method says whether a request uses it, which
 * client the request names, and whether the proof holds; finding the client and pinning its method is shared.
 */
export interface ClientAuthenticationMethod {
  readonly name: ClientAuthMethod;
  isUsedBy(credentials: ClientCredentials): boolean;
  /** @throws OAuthError when what is presented is malformed */
  readClaim(credentials: ClientCredentials): ClientClaim;
}

export interface ClientClaim {
  readonly clientId: string;
  /**
   * Whether the proof is good for this client; called for unknown clients too (undefined), at the same cost.
   * @throws OAuthError as `refusedClient` if there is more detail for the log
   */
  verify(application: Application | undefined): boolean | Promise<boolean>;
}

/** A client that is refused. Every cause looks the same outside. @param reason for the log alone */
export function refusedClient(reason: string): OAuthError {
  return new OAuthError('invalid_client', 'client authentication failed', reason);
}
