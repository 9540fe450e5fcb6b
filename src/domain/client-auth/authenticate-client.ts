import { Injectable } from '@nestjs/common';
import type { Application, ClientAuthMethod } from '../clients/application.js';
import { ApplicationsStore } from '../clients/applications.store.js';
import { isClientId } from '../clients/client-id.js';
import { OAuthError } from '../shared/errors.js';
import {
  type ClientAuthenticationMethod,
  type ClientCredentials,
  refusedClient,
} from './client-authentication.js';
import { type FaultyClient, onAccountOf } from './client-fault.js';
import { clientSecretBasic } from './client-secret-basic.js';
import { clientSecretPost } from './client-secret-post.js';
import { PrivateKeyJwt } from './private-key-jwt.js';
import { publicClient } from './public-client.js';

/** Methods that a client may use at the token endpoint and that discovery therefore lists. */
export const SUPPORTED_CLIENT_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
];

/**
 * Finds out which client sends a request. Every failure looks the same outside: unknown client, wrong secret, the
 * method of another client, a deactivated client.
 */
@Injectable()
export class AuthenticateClient {
  /** Those that a request tries visibly; `none` is what remains. */
  private readonly methods: readonly ClientAuthenticationMethod[];

  constructor(
    private readonly applications: ApplicationsStore,
    privateKeyJwt: PrivateKeyJwt,
  ) {
    this.methods = [clientSecretBasic, clientSecretPost, privateKeyJwt];
  }

  /**
   * @param allowed the methods that the endpoint takes (spec, Authentication table)
   * @throws OAuthError invalid_client, or invalid_request when more than one mechanism is used
   */
  async authenticate(
    credentials: ClientCredentials,
    allowed: readonly ClientAuthMethod[] = SUPPORTED_CLIENT_AUTH_METHODS,
  ): Promise<Application> {
    const used = this.methods.filter((method) => method.isUsedBy(credentials));
    if (used.length > 1) {
      throw new OAuthError('invalid_request', 'client authentication must not use more than one method');
    }
    const method = used[0] ?? publicClient;
    const claim = method.readClaim(credentials);
    const named = credentials.parameters.get('client_id');
    if (named !== undefined && named !== claim.clientId) {
      throw refusedClient('client_id differs from credentials');
    }
    const application = isClientId(claim.clientId)
      ? await this.applications.findClient(claim.clientId)
      : undefined;
    return await onAccountOf(refusedAs(claim.clientId, application, method), async () => {
      const proven = await claim.proves(application);
      if (application === undefined || !proven) throw refusedClient('unknown client, wrong secret or key');
      if (!application.active) throw refusedClient('inactive');
      // a client is pinned to the method it was registered with, so that a secret cannot be left out
      if (application.authMethod !== method.name || !allowed.includes(method.name)) {
        throw refusedClient(`method ${method.name} not allowed`);
      }
      return application;
    });
  }
}

/** Whoever sends a public client's name with a secret guesses at nothing: there is none. */
function refusedAs(
  named: string,
  application: Application | undefined,
  method: ClientAuthenticationMethod,
): FaultyClient {
  const guessed = application?.authMethod !== 'none' && method !== publicClient;
  return {
    named,
    known: application && { id: application.clientId, orgId: application.orgId },
    standing: guessed ? 'guessed' : 'named',
  };
}
