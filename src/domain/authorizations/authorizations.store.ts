import type { AccessTokenType } from '../applications/oidc-config.js';
import type { ApplicationId, AuthorizationId, OrgId, SessionId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { Actor } from './actor.js';
import type { ClaimsRequest } from './claims-request.js';

/** A living authorization: all that tokens are made from. */
export interface VerifiedAuthorization {
  readonly grantId: AuthorizationId;
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
  /** The grant's `acr` if the session began with a password. */
  readonly passwordAcr: string;
  readonly claims: ClaimsRequest | null;
  /** Null for a response type without one. */
  readonly code: NewCode | null;
}

export interface NewCode {
  readonly hash: Buffer;
  readonly seconds: number;
  readonly challenge: string | null;
  readonly redirectUri: string;
}

export interface CodeRedemption {
  readonly codeHash: Buffer;
  readonly applicationId: ApplicationId;
  readonly redirectUri: string;
  /** S256 of the presented verifier, or null when none was presented. */
  readonly codeChallenge: string | null;
  /** Used when the grant holds offline_access; null when the application may not have refresh tokens. */
  readonly firstRefreshToken: NewRefreshToken | null;
}

export interface NewRefreshToken {
  readonly hash: Buffer;
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
}

/** Why a code was not redeemed; read after the fact, only to choose words and to notice a replay. */
export interface CodeRecord {
  readonly grantId: AuthorizationId;
  readonly applicationId: ApplicationId;
  readonly used: boolean;
  readonly expired: boolean;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
}

export interface RefreshRotation {
  readonly hash: Buffer;
  readonly applicationId: ApplicationId;
  /** Subset asked for, or null for all. */
  readonly scopes: readonly string[] | null;
  readonly successorHash: Buffer;
  readonly successorSealed: Buffer | null;
  readonly idleSeconds: number;
}

export interface RefreshTokenRecord {
  readonly grantId: AuthorizationId;
  readonly applicationId: ApplicationId;
  readonly alive: boolean;
  readonly scopes: readonly string[];
  readonly used: boolean;
  /** Seconds since it was exchanged; undefined when it was not. */
  readonly usedSecondsAgo?: number;
  readonly successorUsed: boolean;
  readonly successorSealed: Buffer | null;
  readonly authorization: VerifiedAuthorization;
}

export abstract class AuthorizationsStore {
  /**
   * Opens a grant with its event and its code, if it has one, and expires the session's oldest live codes beyond a
   * fixed number: one statement, in the caller's transaction where there is one. Undefined, and nothing written, when
   * the session has ended or its user was shut out meanwhile.
   */
  abstract open(tx: Tx | undefined, grant: NewAuthorization): Promise<VerifiedAuthorization | undefined>;

  /** One conditional statement: uses up the code if every condition holds, and starts the refresh family. */
  abstract redeemCode(redemption: CodeRedemption): Promise<VerifiedAuthorization | undefined>;

  abstract findCode(codeHash: Buffer): Promise<CodeRecord | undefined>;

  /** One conditional statement: marks the token used and adds its successor if every condition holds. */
  abstract rotate(rotation: RefreshRotation): Promise<VerifiedAuthorization | undefined>;

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
  abstract revoke(grantId: AuthorizationId, reason: string): Promise<boolean>;
}
