import type { AccessTokenType } from '../../applications/oidc-config.js';
import type { Actor } from '../../authorizations/actor.js';
import type { NewRefreshToken, VerifiedAuthorization } from '../../authorizations/authorizations.store.js';
import type { HeldRole } from '../../permissions/rank.js';
import type { ApplicationId, AuthorizationId, OrgId, SessionId, UserId } from '../../shared/ids.js';
import type { TokenLineage } from './token-lineage.js';

/** The grant that a presented token came from. */
export interface ParentAuthorization {
  readonly scopes: readonly string[];
  readonly sessionId: SessionId | null;
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  /** Null for a grant of a user's own. */
  readonly lineage: TokenLineage | null;
}

/** Somebody who can act or be acted for right now. */
export interface ActiveUser {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly tokenEpoch: number;
  readonly roles: readonly HeldRole[];
}

export interface NewExchange {
  readonly id: AuthorizationId;
  readonly userId: UserId;
  readonly subjectEpoch: number;
  readonly applicationId: ApplicationId;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly actor: Actor | null;
  readonly lineage: TokenLineage;
  /** Of every access token that comes of it, now and by its refresh token. */
  readonly accessTokenType: AccessTokenType;
  /** Whose acting begins here; null when somebody's own token is exchanged, or one that somebody acted for before. */
  readonly impersonatedBy: UserId | null;
  /** Null for an exchange without one. */
  readonly refreshToken: NewRefreshToken | null;
}

export abstract class ExchangesStore {
  abstract findParent(grantId: string): Promise<ParentAuthorization | undefined>;

  /** Undefined for nobody, and for whom is not active, in an active organization. */
  abstract findActiveUser(userId: string): Promise<ActiveUser | undefined>;

  /**
   * Opens the grant with its events and its refresh token: one statement, which looks again whether all that it hangs
   * from holds. Undefined, and nothing written, when something has ended meanwhile.
   */
  abstract open(exchange: NewExchange): Promise<VerifiedAuthorization | undefined>;
}
