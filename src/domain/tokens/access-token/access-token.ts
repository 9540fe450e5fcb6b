import type { Actor } from '../../authorizations/actor.js';
import type { Confirmation } from '../../authorizations/confirmation.js';

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
  /** Present when somebody acts for the subject; such a token gives no access here; it only reports the actor. */
  readonly actor?: Actor;
  /** What whoever uses it must show to have (RFC 9449 §6, RFC 8705 §3); absent for a bearer token. */
  readonly confirmation?: Confirmation;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}
