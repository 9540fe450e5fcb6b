import type { HeldRole } from '../permissions/rank.js';
import type { ApplicationId, AuthorizationId, OrgId, SessionId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Actor } from './actor.js';
import type { ClaimsRequest } from './claims-request.js';
import type { Confirmation } from './confirmation.js';
import type { TokenLineage } from './token-lineage.js';

/** What an access token is to those who get it. */
export type AccessTokenType = 'opaque' | 'jwt';

/** A living authorization: all that tokens are made from. */
export interface VerifiedAuthorization {
  readonly authorizationId: AuthorizationId;
  readonly userId: UserId;
  readonly subjectEpoch: number;
  /** Scopes of the authorization request as granted. */
  readonly scopes: readonly string[];
  /** Project ids. */
  readonly audience: readonly string[];
  /** Undefined once the session has ended: a grant with offline_access lives on without it. */
  readonly sessionId?: SessionId;
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr?: string;
  readonly nonce?: string;
  /** User claims that every ID token of the grant carries, beside those of its scopes. */
  readonly idTokenClaims: readonly string[];
  /** Who acts for the user, after a token exchange. */
  readonly actor?: Actor;
  /** What a token exchange was asked for; else it is as the application has it. */
  readonly accessTokenType?: AccessTokenType;
}

export interface NewAuthorization {
  readonly id: AuthorizationId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly applicationId: ApplicationId;
  readonly sessionId: SessionId;
  readonly scopes: readonly string[];
  /** Wanted project ids; those that do not exist or are inactive are dropped. */
  readonly audience: readonly string[];
  readonly nonce: string | null;
  /** The grant's `acr` by what the session amounts to when it is opened. */
  readonly acr: readonly [password: string, multiFactor: string, passkey: string];
  readonly claims: ClaimsRequest | null;
  /** Null for a response type without one. */
  readonly code: NewCode | null;
}

export interface NewCode {
  readonly hash: Buffer;
  readonly seconds: number;
  readonly challenge: string | null;
  readonly redirectUri: string;
  /** The key that its client has named (RFC 9449 §10). */
  readonly dpopJkt: string | null;
}

export interface CodeRedemption {
  readonly codeHash: Buffer;
  readonly applicationId: ApplicationId;
  readonly redirectUri: string;
  /** S256 of the presented verifier, or null when none was presented. */
  readonly codeChallenge: string | null;
  /** What the client has shown to have. */
  readonly confirmation: Confirmation | null;
  /** Used when the grant holds offline_access; null when the application may not have refresh tokens. */
  readonly firstRefreshToken: NewRefreshToken | null;
}

export interface NewRefreshToken {
  readonly hash: Buffer;
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
  /** Without which its family is good for nothing; null for one that is bound to a client by other means. */
  readonly confirmation: Confirmation | null;
}

/** Why a code was not redeemed; read after the fact, only to choose words and to notice a replay. */
export interface CodeRecord {
  readonly authorizationId: AuthorizationId;
  readonly applicationId: ApplicationId;
  readonly used: boolean;
  readonly expired: boolean;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  /** The key that its client had named. */
  readonly confirmation: Confirmation | null;
}

export interface RefreshRotation {
  readonly hash: Buffer;
  readonly applicationId: ApplicationId;
  /** What the client has shown to have. */
  readonly confirmation: Confirmation | null;
  /** Subset asked for, or null for all. */
  readonly scopes: readonly string[] | null;
  readonly successorHash: Buffer;
  readonly successorSealed: Buffer | null;
  readonly idleSeconds: number;
}

/** A refresh token that stays the one it is. */
export type RefreshRenewal = Omit<RefreshRotation, 'successorHash' | 'successorSealed'>;

export interface RefreshTokenRecord {
  readonly authorizationId: AuthorizationId;
  readonly applicationId: ApplicationId;
  readonly alive: boolean;
  readonly scopes: readonly string[];
  readonly used: boolean;
  /** Seconds since it was exchanged; undefined when it was not. */
  readonly usedSecondsAgo?: number;
  /** What its family is bound to. */
  readonly confirmation: Confirmation | null;
  readonly successorUsed: boolean;
  readonly successorSealed: Buffer | null;
  readonly authorization: VerifiedAuthorization;
}

/** The grant that a presented token came from. */
export interface ParentAuthorization {
  readonly scopes: readonly string[];
  readonly sessionId: SessionId | null;
  /** Seconds since the epoch. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr: string | null;
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
  readonly acr: string | null;
  readonly actor: Actor | null;
  readonly lineage: TokenLineage;
  /** Of every access token that comes of it, now and by its refresh token. */
  readonly accessTokenType: AccessTokenType;
  /** Whose acting begins here; null when somebody's own token is exchanged, or one that somebody acted for before. */
  readonly impersonatedBy: UserId | null;
  /** Null for an exchange without one. */
  readonly refreshToken: NewRefreshToken | null;
}

/** A user, in whose name applications hold grants. */
export interface AuthorizationOwner {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

/** Grants: opened by users, or by the exchange of a token, with codes and refresh tokens. */
export abstract class AuthorizationsStore {
  /**
   * Opens a grant with its event and its code, if it has one, and expires the session's oldest live codes beyond a
   * fixed number: one statement, in the caller's transaction where there is one. Undefined, and nothing written, when
   * the session has ended or its user was locked or deactivated meanwhile.
   */
  abstract open(tx: Tx | undefined, grant: NewAuthorization): Promise<VerifiedAuthorization | undefined>;

  /** One conditional statement: uses up the code if every condition holds, and starts the refresh family. */
  abstract redeemCode(redemption: CodeRedemption): Promise<VerifiedAuthorization | undefined>;

  /**
   * As if the code had not been redeemed: of one whose tokens nobody has got. The refresh family that began with it is gone. One
   * statement.
   */
  abstract undoRedemption(codeHash: Buffer): Promise<void>;

  abstract findCode(codeHash: Buffer): Promise<CodeRecord | undefined>;

  /** One conditional statement: marks the token used and adds its successor if every condition holds. */
  abstract rotate(rotation: RefreshRotation): Promise<VerifiedAuthorization | undefined>;

  /** Under the conditions of `rotate`, for a token that stays valid and gets no successor: its idle time restarts. One statement. */
  abstract renew(renewal: RefreshRenewal): Promise<VerifiedAuthorization | undefined>;

  /**
   * A retry gets the successor of a used token as well. One statement.
   * @returns false where the rotation was undone before
   */
  abstract handOutAgain(successorHash: Buffer): Promise<boolean>;

  /**
   * A request that has got the successor has failed. When that is the last one of them, and nobody has used it, it is as if the token
   * had not been rotated. One statement.
   */
  abstract undoRotation(hash: Buffer, successorHash: Buffer): Promise<void>;

  abstract findRefreshToken(hash: Buffer): Promise<RefreshTokenRecord | undefined>;

  /**
   * Ends the grant of a refresh token, be it used or expired, when it was issued to this application: one statement.
   * To null none was.
   * @returns `foreign` when it was issued to another one, and nothing has changed
   */
  abstract revokeByRefreshToken(
    hash: Buffer,
    applicationId: ApplicationId | null,
    reason: string,
  ): Promise<'own' | 'foreign' | 'unknown'>;

  /** Ends a grant with all its tokens, and writes the event. False when it had ended before. */
  abstract revoke(authorizationId: AuthorizationId, reason: string): Promise<boolean>;

  /**
   * Ends every grant that an application holds with the service's own audience, codes and refresh tokens included, with
   * an event each. In a transaction that holds off whoever could open another.
   *
   * @param user of them alone
   */
  abstract revokeForApi(
    tx: Tx,
    applicationId: ApplicationId,
    reason: string,
    user?: AuthorizationOwner,
  ): Promise<void>;

  /**
   * Ends all grants that an application holds of a user, whatever APIs they are for, with an event each.
   * @returns how many
   */
  abstract revokeHeld(
    tx: Tx,
    user: AuthorizationOwner,
    applicationId: ApplicationId,
    reason: string,
  ): Promise<number>;

  /** The grant of a token that is exchanged. */
  abstract findParent(authorizationId: string): Promise<ParentAuthorization | undefined>;

  /** Undefined for nobody, and for whom is not active, in an active organization. */
  abstract findActiveUser(userId: string): Promise<ActiveUser | undefined>;

  /**
   * Opens the grant of an exchange with its events and its refresh token: one statement, which looks again whether all that it hangs
   * from holds. Undefined, and nothing written, when something has ended meanwhile.
   */
  abstract openExchange(exchange: NewExchange): Promise<VerifiedAuthorization | undefined>;
}
