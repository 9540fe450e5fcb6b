import type { Actor } from '../authorizations/actor.js';
import type { Confirmation } from '../authorizations/confirmation.js';
import type { TokenClient } from './token-client.js';

/** What was authorized: for whom, for which client, how far. */
export interface IssueRequest {
  readonly client: TokenClient;
  /** Null when a service user acts for itself: there is no grant then that could be ended. */
  readonly authorizationId: string | null;
  readonly subjectId: string;
  readonly subjectEpoch: number;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** The part of it that the access token is for (RFC 8707 §2.2), where not all. */
  readonly resources?: readonly string[];
  /** Given while the session lives. */
  readonly sessionId?: string;
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr?: string;
  readonly nonce?: string;
  /** User claims that the ID token carries beside those of the scopes. */
  readonly idTokenClaims: readonly string[];
  /** Who acts for the subject. */
  readonly actor?: Actor;
  /** What the access token is bound to. */
  readonly confirmation?: Confirmation;
}
