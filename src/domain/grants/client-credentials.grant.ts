import { Injectable } from '@nestjs/common';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import { type ClientCredentials, refusedClient } from '../client-auth/client-authentication.js';
import { clientSecretBasic, readBasicSecret } from '../client-auth/client-secret-basic.js';
import { clientSecretPost } from '../client-auth/client-secret-post.js';
import type { PresentedSecret } from '../client-auth/client-secret.js';
import { InstanceStore } from '../orgs/instance.store.js';
import { Clock } from '../shared/clock.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { sha256 } from '../shared/random.js';
import { clientOf } from '../tokens/token-client.js';
import { canonicalName } from '../users/canonical-name.js';
import { type GrantOutcome, ServiceUserGrant } from './grant.js';
import { grantScopes, projectsNamedBy } from './service-user-scopes.js';
import { type ServiceUserClient, ServiceUserClientsStore } from './service-user-clients.store.js';

const ASSERTION_PARAMETERS = ['client_assertion', 'client_assertion_type'] as const;
/** What the ids of applications look like, and no service user's name does. */
const LIKE_AN_APPLICATION = /^[0-9]+$/;
const LONGEST_NAME = 500;
/** Without a scope parameter (RFC 6749 §3.3). */
const DEFAULT_SCOPE = 'openid';

/**
 * grant_type `client_credentials` (RFC 6749 §4.4): a service user with its login name and secret, by Basic header or in
 * the body. One read and one signature or seal; nothing is written. There is nobody to identify and nothing to renew,
 * so there is never an ID token nor a refresh token.
 */
@Injectable()
export class ClientCredentialsGrant extends ServiceUserGrant {
  override readonly type = 'client_credentials';
  override readonly givesIdToken = false;

  constructor(
    private readonly serviceUsers: ServiceUserClientsStore,
    private readonly authenticateClient: AuthenticateClient,
    private readonly instance: InstanceStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async authenticate(credentials: ClientCredentials): Promise<ServiceUserClient> {
    const presented = readSecret(credentials);
    const { clientId } = presented;
    const { apiProjectId } = await this.instance.read();
    const user = await this.find(
      presented,
      projectsNamedBy(credentials.parameters.get('scope'), apiProjectId),
    );
    if (user?.active === true) return user;
    if (user === undefined && LIKE_AN_APPLICATION.test(clientId)) {
      await this.authenticateClient.authenticate(credentials);
      // it is who it says, but an application has nothing of its own that it could be given
      throw new OAuthError('unauthorized_client', `grant_type ${this.type} is not allowed for this client`);
    }
    throw refusedClient('unknown service user, wrong secret or inactive');
  }

  override async prove(user: ServiceUserClient, parameters: OAuthParameters): Promise<GrantOutcome> {
    const { apiProjectId } = await this.instance.read();
    const granted = grantScopes(parameters.get('scope') ?? DEFAULT_SCOPE, user, apiProjectId);
    return {
      tokens: {
        ...granted,
        client: clientOf(user),
        grantId: null,
        subjectId: user.userId,
        subjectEpoch: user.tokenEpoch,
        authTime: this.clock.nowSeconds(),
        amr: ['pwd'],
        idTokenClaims: [],
      },
    };
  }

  private async find(
    { clientId, secret }: PresentedSecret,
    projects: readonly string[],
  ): Promise<ServiceUserClient | undefined> {
    if (clientId.length > LONGEST_NAME || clientId.includes('\u0000')) return undefined;
    return await this.serviceUsers.findBySecret(canonicalName(clientId), sha256(secret), projects);
  }
}

/** @throws OAuthError invalid_client, or invalid_request when more than one mechanism is used */
function readSecret(credentials: ClientCredentials): PresentedSecret {
  const { authorization, parameters } = credentials;
  const byHeader = clientSecretBasic.isUsedBy(credentials);
  const byBody = clientSecretPost.isUsedBy(credentials);
  const byAssertion = ASSERTION_PARAMETERS.some((name) => parameters.has(name));
  if ([byHeader, byBody, byAssertion].filter(Boolean).length > 1) {
    throw new OAuthError('invalid_request', 'client authentication must not use more than one method');
  }
  const named = parameters.get('client_id');
  if (byHeader) {
    const presented = readBasicSecret(authorization);
    if (named === undefined || named === presented.clientId) return presented;
    throw refusedClient('client_id differs from credentials');
  }
  if (!byBody) throw refusedClient('neither a Basic header nor a secret in the body');
  return { clientId: parameters.require('client_id'), secret: parameters.require('client_secret') };
}
