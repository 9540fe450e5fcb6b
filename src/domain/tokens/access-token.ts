import type { Actor } from '../authorizations/actor.js';

/**
 * What an access token says, in either form. Both forms are self-contained: issuing one writes nothing; checking
 * one opens or verifies it in memory and then asks Postgres once whether anything has ended it.
 */
export interface AccessTokenContent {
  readonly jti: string;
  readonly subject: string;
  readonly clientId: string;
  /** Present while the browser session lives that the token came from: logout ends those tokens. */
  readonly sessionId?: string;
  readonly scopes: readonly string[];
  /** Project ids; resolved to client ids where somebody outside must see them. */
  readonly audience: readonly string[];
  /** Present when somebody acts for the subject; such a token is good for nothing here but for telling so. */
  readonly actor?: Actor;
  /** Thumbprint of the key that whoever uses it must prove to have (RFC 9449 §6); absent for a bearer token. */
  readonly jkt?: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}
