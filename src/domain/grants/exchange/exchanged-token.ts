import type { Actor } from '../../authorizations/actor.js';
import type { Confirmation } from '../../authorizations/confirmation.js';
import type { TokenLineage } from '../../authorizations/token-lineage.js';
import type { ApplicationId, OrgId, UserId } from '../../shared/ids.js';

/** Whom a presented token speaks for, and what it brings to an exchange. */
export interface ExchangedToken {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly epoch: number;
  /** The application that the token was issued to; null for a user's own token, and for what is no token. */
  readonly through: ApplicationId | null;
  /** Null for what has none of its own: the id of a user, or a client's word. */
  readonly scopes: readonly string[] | null;
  /** What the new token gets unless it asks for less. */
  readonly audience: readonly string[];
  /** All that may be asked for: the same, and the clients of its projects. */
  readonly audiences: ReadonlySet<string>;
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr: string | null;
  /** Who acts for it already. */
  readonly actor?: Actor;
  /** What it is bound to. */
  readonly confirmation?: Confirmation;
  /** What the token hangs from. */
  readonly lineage: Partial<TokenLineage>;
}
