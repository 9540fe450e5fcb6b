import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import { TLS_AUTH_METHODS, type ClientAuthMethod } from '../applications/oidc-config.js';
import { AuthorizationsStore } from '../authorizations/authorizations.store.js';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import {
  ClientFault,
  letIn,
  onAccountOf,
  serviceUserLetIn,
  type FaultyClient,
} from '../client-auth/client-fault.js';
import type { ServiceUserClient } from '../service-users/service-users.store.js';
import { OAuthError } from '../shared/errors.js';
import type { AccessTokenContent } from '../tokens/access-token/access-token.js';
import { CheckAccessToken } from '../tokens/access-token/check-access-token.js';
import { isServiceUsersOwn } from '../tokens/token-id.js';
import { TokensStore } from '../tokens/tokens.store.js';
import { AuthenticateServiceUser } from './authenticate-service-user.js';
import { isRefreshToken, refreshTokenHash } from './refresh-token.js';

/** What the table of protocol §8.5 lets a client revoke by; discovery lists it. */
export const REVOCATION_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
  ...TLS_AUTH_METHODS,
];

type Revoker =
  | { readonly kind: 'application'; readonly application: Application }
  | { readonly kind: 'service-user'; readonly user: ServiceUserClient };

/**
 * The revocation endpoint (RFC 7009). An access token ends by itself; a refresh token ends its grant, and so the
 * access tokens that came of it. A token says itself of what kind it is, so `token_type_hint` is not needed.
 */
@Injectable()
export class RevocationEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly serviceUsers: AuthenticateServiceUser,
    private readonly checkAccessToken: CheckAccessToken,
    private readonly tokens: TokensStore,
    private readonly authorizations: AuthorizationsStore,
  ) {}

  /**
   * Returns when the token is dead on every replica; also for one that is nobody's, or dead already (§2.2). Clients
   * ignore what it answers (§2.2), but some parse it: an empty object.
   * A service user ends what it got for itself, by whichever grant, with its secret.
   * @throws OAuthError invalid_client also for the token of another client
   */
  async answer(credentials: ClientCredentials): Promise<object> {
    const { parameters } = credentials;
    parameters.refuseRepeated();
    const revoker = await this.authenticate(credentials);
    const token = parameters.require('token');
    await onAccountOf(accountOf(revoker), () =>
      isRefreshToken(token)
        ? this.revokeRefreshToken(token, revoker)
        : this.revokeAccessToken(token, revoker),
    );
    return {};
  }

  private async authenticate(credentials: ClientCredentials): Promise<Revoker> {
    const byApplication = async (): Promise<Revoker> => ({
      kind: 'application',
      application: await this.authenticateClient.authenticate(credentials, REVOCATION_AUTH_METHODS),
    });
    if (!this.serviceUsers.isUsedBy(credentials)) return await byApplication();
    const { clientId, user } = await this.serviceUsers.bySecret(credentials, []);
    if (user !== undefined) return { kind: 'service-user', user };
    // an application may be called like a service user
    return await byApplication().catch(async (error: unknown): Promise<never> => {
      const isNobody = error instanceof ClientFault && error.client.known === undefined;
      throw isNobody ? await this.serviceUsers.refusal(clientId) : error;
    });
  }

  private async revokeRefreshToken(token: string, revoker: Revoker): Promise<void> {
    // a service user has none of its own
    const id = revoker.kind === 'application' ? revoker.application.id : null;
    // a used one as well: who gives it up wants the end of what came of it
    const found = await this.authorizations.revokeByRefreshToken(
      refreshTokenHash(token),
      id,
      'revoked_by_client',
    );
    if (found === 'foreign') throw foreignToken('refresh token of another client');
  }

  private async revokeAccessToken(token: string, revoker: Revoker): Promise<void> {
    const content = await this.checkAccessToken.read(token);
    if (content === undefined) return await this.refusePersonalAccessToken(token);
    if (!isIssuedTo(revoker, content)) throw foreignToken('access token of another client');
    const { jti, expiresAt, clientId } = content;
    const { orgId } = revoker.kind === 'application' ? revoker.application : revoker.user;
    await this.tokens.revoke({ jti, expiresAt, clientId, orgId });
  }

  /** It belongs to its owner, who may remove it; 200 would say that it is dead. */
  private async refusePersonalAccessToken(token: string): Promise<void> {
    if ((await this.checkAccessToken.check(token)) !== undefined) throw foreignToken('personal access token');
  }
}

function accountOf(revoker: Revoker): FaultyClient {
  if (revoker.kind === 'application') return letIn(revoker.application);
  return serviceUserLetIn(revoker.user);
}

/** A service user may be named like a client, or another like it: its tokens are known by their subject. */
function isIssuedTo(
  revoker: Revoker,
  { jti, subject, clientId }: Pick<AccessTokenContent, 'jti' | 'subject' | 'clientId'>,
): boolean {
  if (revoker.kind === 'service-user') return isServiceUsersOwn(jti) && subject === revoker.user.userId;
  return !isServiceUsersOwn(jti) && clientId === revoker.application.clientId;
}

function foreignToken(reason: string): OAuthError {
  return new OAuthError('invalid_client', 'token was not issued for this client', reason);
}
