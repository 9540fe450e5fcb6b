import { Injectable } from '@nestjs/common';
import type { Application, ClientAuthMethod } from '../clients/application.js';
import { ApplicationsStore } from '../clients/applications.store.js';
import { isClientId } from '../clients/client-id.js';
import { OAuthError } from '../shared/errors.js';
import type { ClientAuthenticationMethod, ClientCredentials } from './client-authentication.js';
import { clientSecretBasic } from './client-secret-basic.js';
import { clientSecretPost } from './client-secret-post.js';
import { publicClient } from './public-client.js';

/** Tried in this order; `none` stands last because it is what remains. */
const METHODS: readonly ClientAuthenticationMethod[] = [clientSecretBasic, clientSecretPost, publicClient];

/** private_key_jwt (RFC 7523 §2.2) is not served yet; a request that tries it must not pass as `none`. */
const ASSERTION_PARAMETERS = ['client_assertion', 'client_assertion_type'] as const;

/** Methods that a client may use here and that discovery therefore lists. */
export const SUPPORTED_CLIENT_AUTH_METHODS: readonly ClientAuthMethod[] = METHODS.map(
  (method) => method.name,
);

/**
 * Finds out which client sends a request. Every failure looks the same outside: unknown client, wrong secret, the
 * method of another client, a deactivated client.
 */
@Injectable()
export class AuthenticateClient {
  constructor(private readonly applications: ApplicationsStore) {}

  /**
   * @param allowed the methods that the endpoint takes (spec, Authentication table)
   * @throws OAuthError invalid_client, or invalid_request when more than one mechanism is used
   */
  async authenticate(
    credentials: ClientCredentials,
    allowed: readonly ClientAuthMethod[] = SUPPORTED_CLIENT_AUTH_METHODS,
  ): Promise<Application> {
    const used = METHODS.filter((method) => method.name !== 'none' && method.isUsedBy(credentials));
    const asserts = ASSERTION_PARAMETERS.some((name) => credentials.parameters.has(name));
    if (used.length + (asserts ? 1 : 0) > 1) {
      throw new OAuthError('invalid_request', 'client authentication must not use more than one method');
    }
    if (asserts) {
      throw new OAuthError('invalid_client', 'client authentication failed', 'assertions are not served');
    }
    const method = used[0] ?? publicClient;
    const claim = method.readClaim(credentials);
    const named = credentials.parameters.get('client_id');
    if (named !== undefined && named !== claim.clientId) {
      throw new OAuthError(
        'invalid_client',
        'client authentication failed',
        'client_id differs from credentials',
      );
    }
    const application = isClientId(claim.clientId)
      ? await this.applications.findClient(claim.clientId)
      : undefined;
    const proven = claim.proves(application);
    if (application === undefined || !proven) {
      throw new OAuthError(
        'invalid_client',
        'client authentication failed',
        'unknown client or wrong secret',
      );
    }
    if (!application.active)
      throw new OAuthError('invalid_client', 'client authentication failed', 'inactive');
    // a client is pinned to the method it was registered with, so that a secret cannot be left out
    if (application.authMethod !== method.name || !allowed.includes(method.name)) {
      throw new OAuthError(
        'invalid_client',
        'client authentication failed',
        `method ${method.name} not allowed`,
      );
    }
    return application;
  }
}
