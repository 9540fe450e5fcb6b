import { Injectable } from '@nestjs/common';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { InstanceStore } from '../organizations/instance.store.js';
import type { ServiceUserClient } from '../service-users/service-users.store.js';
import { Clock } from '../shared/clock.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { AuthenticateServiceUser, looksLikeApplication } from './authenticate-service-user.js';
import { ServiceUserGrantType, type GrantOutcome } from './grant-type.js';
import { clientOf } from './service-user-client.js';
import { grantScopes, projectsNamedBy } from './service-user-scopes.js';

/** Without a scope parameter (RFC 6749 §3.3). */
const DEFAULT_SCOPE = 'openid';

/**
 * grant_type `client_credentials` (RFC 6749 §4.4): a service user with its login name and secret, by Basic header or in
 * the body. One read and one signature or seal; nothing is written. There is nobody to identify and nothing to renew,
 * so there is never an ID token nor a refresh token.
 */
@Injectable()
export class ClientCredentialsGrant extends ServiceUserGrantType {
  override readonly type = 'client_credentials';
  override readonly givesIdToken = false;

  constructor(
    private readonly serviceUsers: AuthenticateServiceUser,
    private readonly authenticateClient: AuthenticateClient,
    private readonly instance: InstanceStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async authenticate(credentials: ClientCredentials): Promise<ServiceUserClient> {
    const { apiProjectId } = await this.instance.read();
    const projects = projectsNamedBy(credentials.parameters.get('scope'), apiProjectId);
    const { clientId, user } = await this.serviceUsers.bySecret(credentials, projects);
    if (user !== undefined) return user;
    if (looksLikeApplication(clientId)) {
      await this.authenticateClient.authenticate(credentials);
      // it is who it says, but an application has nothing of its own that it could be given
      throw new OAuthError('unauthorized_client', `grant_type ${this.type} is not allowed for this client`);
    }
    throw await this.serviceUsers.refusal(clientId);
  }

  override async verify(user: ServiceUserClient, parameters: OAuthParameters): Promise<GrantOutcome> {
    const { apiProjectId } = await this.instance.read();
    const granted = grantScopes(parameters.get('scope') ?? DEFAULT_SCOPE, user, apiProjectId);
    return {
      tokens: {
        ...granted,
        client: clientOf(user),
        authorizationId: null,
        subjectId: user.userId,
        subjectEpoch: user.tokenEpoch,
        authTime: this.clock.nowSeconds(),
        amr: ['pwd'],
        idTokenClaims: [],
      },
    };
  }
}
