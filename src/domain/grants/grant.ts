import type { Application, ClientAuthMethod } from '../clients/application.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import type { ProvenGrant } from '../tokens/grants.store.js';

/**
 * A grant type of the token endpoint. It proves on whose behalf the client acts and how far; it neither
 * authenticates the client nor mints tokens, so it cannot skip a step that all grants share.
 */
export abstract class Grant {
  /** Value of `grant_type`. */
  abstract readonly type: string;
  /** What an application must have enabled to use it. */
  abstract readonly clientAuthMethods: readonly ClientAuthMethod[];
  /** @throws OAuthError invalid_grant, invalid_request or invalid_scope */
  abstract prove(application: Application, parameters: OAuthParameters): Promise<GrantOutcome>;
}

export interface GrantOutcome {
  readonly proven: ProvenGrant;
  /** Scopes of the tokens to be made: the granted ones or fewer. */
  readonly scopes: readonly string[];
  readonly refreshToken?: string;
}
