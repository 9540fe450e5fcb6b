import { Injectable } from '@nestjs/common';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { letIn, onAccountOf, serviceUserLetIn } from '../client-auth/client-fault.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { IssueTokens, type IssuedTokens } from '../tokens/issue-tokens.js';
import { TOKEN_TYPE_ID, type IssuedTokenType } from './exchange/token-types.js';
import type { GrantOutcome, GrantType } from './grant-type.js';

/** A successful answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3, RFC 8693 §2.2.1). */
export interface TokenResponse {
  readonly access_token: string;
  /** `N_A`: what `access_token` holds is none. */
  readonly token_type: 'Bearer' | 'N_A';
  readonly issued_token_type?: IssuedTokenType;
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

/** The grants that are served, by type. Discovery lists exactly these. */
export abstract class GrantRegistry {
  abstract readonly grants: ReadonlyMap<string, GrantType>;
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
    const grant = this.registry.grants.get(parameters.get('grant_type') ?? '');
    parameters.refuseRepeated(grant?.mayRepeat);
    parameters.require('grant_type');
    if (grant === undefined) throw new OAuthError('unsupported_grant_type', 'grant_type is not supported');
    const outcome = await this.verify(grant, { authorization, parameters });
    const { tokens, refreshToken, exchangedFor } = outcome;
    const issued = await this.issue(outcome, grant);
    return {
      access_token: issued.accessToken,
      token_type: exchangedFor === TOKEN_TYPE_ID ? 'N_A' : 'Bearer',
      ...(exchangedFor === undefined ? {} : { issued_token_type: exchangedFor }),
      expires_in: issued.expiresIn,
      scope: tokens.scopes.join(' '),
      ...(issued.idToken === undefined ? {} : { id_token: issued.idToken }),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    };
  }

  private async issue({ tokens, exchangedFor }: GrantOutcome, grant: GrantType): Promise<IssuedTokens> {
    if (exchangedFor !== TOKEN_TYPE_ID) {
      return await this.issueTokens.issue(tokens, { idToken: grant.givesIdToken });
    }
    const { idToken, expiresIn } = await this.issueTokens.issueInFront(tokens, { accessToken: false });
    // the name is a historical one (RFC 8693 §2.2.1)
    return { accessToken: idToken, expiresIn };
  }

  /** Client authenticated, grant allowed, proof. */
  private async verify(grant: GrantType, credentials: ClientCredentials): Promise<GrantOutcome> {
    const { parameters } = credentials;
    if (grant.clients === 'service-users') {
      const user = await grant.authenticate(credentials);
      return await onAccountOf(serviceUserLetIn(user), () => grant.verify(user, parameters));
    }
    const application = await this.authenticateClient.authenticate(credentials, grant.clientAuthMethods);
    if (!application.grantTypes.includes(grant.type)) {
      throw new OAuthError('unauthorized_client', `grant_type ${grant.type} is not allowed for this client`);
    }
    return await onAccountOf(letIn(application), () => grant.verify(application, parameters));
  }
}
