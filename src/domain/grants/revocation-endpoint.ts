import { Injectable } from '@nestjs/common';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { Application, ClientAuthMethod } from '../clients/application.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { CheckAccessToken } from '../tokens/check-access-token.js';
import { GrantsStore } from '../tokens/grants.store.js';
import { TokensStore } from '../tokens/tokens.store.js';
import { isRefreshToken, refreshTokenHash } from './refresh-token.js';

/** What the spec's table lets a client revoke by; discovery lists it. */
export const REVOCATION_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
];

/**
 * The revocation endpoint (RFC 7009). An access token ends by itself; a refresh token ends its grant, and so the
 * access tokens that came of it. A token says itself of what kind it is, so `token_type_hint` is not needed.
 */
@Injectable()
export class RevocationEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly checkAccessToken: CheckAccessToken,
    private readonly tokens: TokensStore,
    private readonly grants: GrantsStore,
  ) {}

  /**
   * Returns when the token is dead on every replica; also for one that is nobody's, or dead already (§2.2).
   * @throws OAuthError invalid_client also for the token of another client
   */
  async answer(parameters: OAuthParameters, authorization: string | undefined): Promise<undefined> {
    parameters.refuseRepeated();
    const application = await this.authenticateClient.authenticate(
      { authorization, parameters },
      REVOCATION_AUTH_METHODS,
    );
    const token = parameters.require('token');
    await (isRefreshToken(token)
      ? this.revokeRefreshToken(token, application)
      : this.revokeAccessToken(token, application));
    return undefined;
  }

  private async revokeRefreshToken(token: string, { id }: Application): Promise<void> {
    // a used one as well: who gives it up wants the end of what came of it
    const found = await this.grants.revokeByRefreshToken(refreshTokenHash(token), id, 'revoked_by_client');
    if (found === 'foreign') throw foreignToken('refresh token of another client');
  }

  private async revokeAccessToken(token: string, { clientId, orgId }: Application): Promise<void> {
    const content = await this.checkAccessToken.read(token);
    if (content === undefined) return await this.refusePersonalAccessToken(token);
    if (content.clientId !== clientId) throw foreignToken('access token of another client');
    await this.tokens.revoke({ jti: content.jti, expiresAt: content.expiresAt, clientId, orgId });
  }

  /** It belongs to its owner, who may remove it; 200 would say that it is dead. */
  private async refusePersonalAccessToken(token: string): Promise<void> {
    if ((await this.checkAccessToken.check(token)) !== undefined) throw foreignToken('personal access token');
  }
}

function foreignToken(reason: string): OAuthError {
  return new OAuthError('invalid_client', 'token was not issued for this client', reason);
}
