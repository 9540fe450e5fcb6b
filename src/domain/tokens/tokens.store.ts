import type { Subject } from './user-claims.js';

/** What a token claims about itself, to be held against the database. */
export interface TokenQuestion {
  readonly jti: string;
  readonly grantId: string;
  readonly subject: string;
  readonly subjectEpoch: number;
  readonly clientId: string;
  readonly clientEpoch: number;
  readonly sessionId: string | null;
  /** kid of the signature, for JWTs. */
  readonly kid: string | null;
  /** id of the sealing key, for opaque tokens. */
  readonly tokenKeyId: number | null;
}

/** Whom a live token speaks for. */
export interface LiveSubject {
  readonly subject: Subject;
  /** User claims that userinfo gives beside those of the token's scopes. */
  readonly userinfoClaims: readonly string[];
  /** Of the client that the token was issued to. */
  readonly clientProject: { readonly id: string; readonly assertsRoles: boolean };
}

export abstract class TokensStore {
  /**
   * One prepared statement that answers everything at once: key still good, jti not revoked, grant alive, session
   * not ended, epochs unchanged, subject, client and both organizations active. The subject, or undefined when any
   * of it fails. Never cached.
   */
  abstract findSubjectOfLiveToken(question: TokenQuestion): Promise<LiveSubject | undefined>;

  /** The owner of an unexpired, unrevoked personal access token and the token's id. */
  abstract findSubjectOfPersonalAccessToken(
    tokenHash: Buffer,
  ): Promise<{ subject: Subject; tokenId: string } | undefined>;

  /** Client ids of the projects' active applications, for `aud` of JWTs. */
  abstract listClientIds(projectIds: readonly string[]): Promise<readonly string[]>;

  /** A user's claims, whatever its state: for ID tokens that carry them. */
  abstract findSubject(userId: string): Promise<Subject | undefined>;
}
