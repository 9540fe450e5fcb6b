import { Injectable } from '@nestjs/common';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { IssueTokens } from '../tokens/issue-tokens.js';
import type { Grant, GrantOutcome } from './grant.js';

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
    const { tokens, refreshToken } = await this.prove(grant, { authorization, parameters });
    const issued = await this.issueTokens.issue(tokens, { idToken: grant.givesIdToken });
    return {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: issued.expiresIn,
      scope: tokens.scopes.join(' '),
      ...(issued.idToken === undefined ? {} : { id_token: issued.idToken }),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    };
  }

  /** Client authenticated, grant allowed, proof. */
  private async prove(grant: Grant, credentials: ClientCredentials): Promise<GrantOutcome> {
    const { parameters } = credentials;
    if (grant.clients === 'service-users') {
      return await grant.prove(await grant.authenticate(credentials), parameters);
    }
    const application = await this.authenticateClient.authenticate(credentials, grant.clientAuthMethods);
    if (!application.grantTypes.includes(grant.type)) {
      throw new OAuthError('unauthorized_client', `grant_type ${grant.type} is not allowed for this client`);
    }
    return await grant.prove(application, parameters);
  }
}
