import { Injectable } from '@nestjs/common';
import type { Application } from '../applications/application.js';
import type { Profiled } from '../applications/security-profile.js';
import {
  confirmationOfCertificate,
  confirmationOfKey,
  tokenTypeOf,
  type Confirmation,
} from '../authorizations/confirmation.js';
import { AuthenticateClient } from '../client-auth/authenticate-client.js';
import type { ClientCredentials } from '../client-auth/client-authentication.js';
import { letIn, onAccountOf, serviceUserLetIn } from '../client-auth/client-fault.js';
import { CheckDpopProof, type PresentedProof } from '../dpop/check-dpop-proof.js';
import { DpopFault } from '../dpop/dpop-proof.js';
import { OAuthError } from '../shared/errors.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import { requireWithin, ResourceIndicators } from '../tokens/audience/resource-indicators.js';
import { IssueTokens, type IssuedTokens } from '../tokens/issue-tokens.js';
import { TOKEN_TYPE_ID, type IssuedTokenType } from './exchange/token-types.js';
import type { ApplicationGrantType, GrantOutcome, GrantType } from './grant-type.js';

/** A successful answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3, RFC 8693 §2.2.1). */
interface TokenResponse {
  readonly access_token: string;
  /** `N_A`: what `access_token` holds is none. */
  readonly token_type: 'Bearer' | 'DPoP' | 'N_A';
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
 * grant allowed for the client, proof, tokens. A key that the request proves to have is what the tokens are bound to
 * (RFC 9449), or the certificate of an application that wants that; a proof is used up last, once the grant was good.
 */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly authenticateClient: AuthenticateClient,
    private readonly registry: GrantRegistry,
    private readonly issueTokens: IssueTokens,
    private readonly proofs: CheckDpopProof,
    private readonly resources: ResourceIndicators,
  ) {}

  /** @throws OAuthError */
  async answer(credentials: ClientCredentials, proof?: PresentedProof): Promise<TokenResponse> {
    const { parameters } = credentials;
    const grant = this.registry.grants.get(parameters.get('grant_type') ?? '');
    parameters.refuseRepeated(mayRepeat(grant, this.resources));
    parameters.require('grant_type');
    if (grant === undefined) throw new OAuthError('unsupported_grant_type', 'grant_type is not supported');
    const outcome = await this.verify(grant, credentials, proof);
    const { tokens, refreshToken, exchangedFor } = outcome;
    // what a claims webhook that is away refuses must not cost the client its code or refresh token
    const issued = await orUndo(outcome, () => this.issue(outcome, grant));
    return {
      access_token: issued.accessToken,
      token_type: exchangedFor === TOKEN_TYPE_ID ? 'N_A' : tokenTypeOf(tokens.confirmation),
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
    const { idToken, expiresIn } = await this.issueTokens.issueIdToken(tokens);
    // the name is a historical one (RFC 8693 §2.2.1)
    return { accessToken: idToken, expiresIn };
  }

  /** Client authenticated, grant allowed, proof. */
  private async verify(
    grant: GrantType,
    credentials: ClientCredentials,
    proof: PresentedProof | undefined,
  ): Promise<GrantOutcome> {
    const { parameters } = credentials;
    if (grant.clients === 'service-users') {
      const user = await grant.authenticate(credentials);
      return await onAccountOf(serviceUserLetIn(user), async () => {
        this.resources.refuseAny(parameters);
        return await this.bound(proof, {}, () => grant.verify(user, parameters));
      });
    }
    const application = await this.authenticateClient.authenticate(credentials, grant.clientAuthMethods);
    if (!application.grantTypes.includes(grant.type)) {
      throw new OAuthError('unauthorized_client', `grant_type ${grant.type} is not allowed for this client`);
    }
    if (proof === undefined && application.dpopBoundAccessTokens) {
      throw new DpopFault(
        'invalid_dpop_proof',
        'DPoP proof: this application needs one for every token request',
      );
    }
    if (application.tlsClientCertificateBoundAccessTokens) {
      const confirmation = shownCertificate(credentials, proof);
      return await onAccountOf(letIn(application), async () =>
        boundTo(confirmation, await this.narrowed(grant, application, parameters, confirmation)),
      );
    }
    return await onAccountOf(letIn(application), () =>
      this.bound(proof, application, (confirmation) =>
        this.narrowed(grant, application, parameters, confirmation),
      ),
    );
  }

  private async narrowed(
    grant: ApplicationGrantType,
    application: Application,
    parameters: OAuthParameters,
    confirmation: Confirmation | undefined,
  ): Promise<GrantOutcome> {
    // before anything is used up, as far as that can be known
    const named = grant.narrows ? await this.resources.named(application.orgId, parameters) : [];
    const granted = named.length === 0 ? undefined : await grant.grantedAudience(application, parameters);
    if (granted !== undefined) requireWithin(named, granted);
    const outcome = await grant.verify(application, parameters, confirmation);
    // of a code it is known only now; one that was asked too much of may be asked again
    const tokens = await orUndo(outcome, () => this.resources.narrowed(outcome.tokens, named));
    return { ...outcome, tokens };
  }

  private async bound(
    proof: PresentedProof | undefined,
    client: Profiled,
    verify: (confirmation: Confirmation | undefined) => Promise<GrantOutcome>,
  ): Promise<GrantOutcome> {
    if (proof === undefined) return await verify(undefined);
    const held = await this.proofs.verify(proof, client);
    await this.proofs.requireUnused(held);
    const confirmation = confirmationOfKey(held.jkt);
    const outcome = await verify(confirmation);
    // of two at once with one proof, the loser keeps its code or refresh token for a proof of its own
    await orUndo(outcome, () => this.proofs.useUp(held));
    return boundTo(confirmation, outcome);
  }
}

/** What comes after a grant has used something up: where it fails, the client has that again. */
async function orUndo<T>(outcome: GrantOutcome, next: () => T | Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (error) {
    // where that fails as well, a refresh token has the grace of a retry left
    await outcome.undo?.().catch(() => undefined);
    throw error;
  }
}

function boundTo(confirmation: Confirmation, outcome: GrantOutcome): GrantOutcome {
  return { ...outcome, tokens: { ...outcome.tokens, confirmation } };
}

/** What all tokens of the application are bound to (RFC 8705 §3), and to nothing else beside. @throws OAuthError */
function shownCertificate(
  { certificate }: ClientCredentials,
  proof: PresentedProof | undefined,
): Confirmation {
  if (proof !== undefined) {
    throw new DpopFault(
      'invalid_dpop_proof',
      'DPoP proof: tokens of this application are bound to certificates',
    );
  }
  if (certificate !== undefined) return confirmationOfCertificate(certificate.thumbprint);
  throw new OAuthError(
    'invalid_request',
    'this application needs a client certificate for every token request',
  );
}

/** Grants of applications may name several resources, where those are served. */
function mayRepeat(grant: GrantType | undefined, resources: ResourceIndicators): readonly string[] {
  const own = grant?.mayRepeat ?? [];
  return grant?.clients === 'applications' ? [...own, ...resources.mayRepeat] : own;
}
