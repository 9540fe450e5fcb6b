import { Injectable } from '@nestjs/common';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { issueRequestOf, IssueTokens } from '../tokens/issue-tokens.js';
import type { Grant } from './grant.js';

/** A successful answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

/** The grants that are served, by type. Discovery lists exactly these. */
export abstract class GrantRegistry {
  abstract readonly grants: ReadonlyMap<string, Grant>;
}

/**
 * The steps that every grant shares, in this order: no repeated parameter, grant type known, client authenticated,
 * grant allowed for the client, proof, tokens.
 */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly registry: GrantRegistry,
    private readonly issueTokens: IssueTokens,
  ) {}

  /** @throws OAuthError */
  async answer(parameters: OAuthParameters, authorization: string | undefined): Promise<TokenResponse> {
    parameters.refuseRepeated();
    const grantType = parameters.require('grant_type');
    const grant = this.registry.grants.get(grantType);
    if (grant === undefined) throw new OAuthError('unsupported_grant_type', 'grant_type is not supported');
    const application = await this.authenticateClient.authenticate(
      { authorization, parameters },
      grant.clientAuthMethods,
    );
    if (!application.grantTypes.includes(grant.type)) {
      throw new OAuthError('unauthorized_client', `grant_type ${grant.type} is not allowed for this client`);
    }
    const { proven, scopes, refreshToken } = await grant.prove(application, parameters);
    const issued = await this.issueTokens.issue(issueRequestOf(application, proven, scopes));
    return {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: issued.expiresIn,
      scope: scopes.join(' '),
      ...(issued.idToken === undefined ? {} : { id_token: issued.idToken }),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    };
  }
}
