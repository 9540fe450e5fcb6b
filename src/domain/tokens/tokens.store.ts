import type { ClientRegistration } from '../applications/application.js';
import type { SecurityProfile } from '../applications/oidc-config.js';
import type { ApplicationId, OrgId } from '../shared/ids.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';
import type { Subject } from './claims/user-claims.js';

/** What a token claims about itself, to be held against the database. */
export interface TokenQuestion {
  readonly jti: string;
  /** Null for a token that a service user got for itself. */
  readonly authorizationId: string | null;
  readonly subject: string;
  readonly subjectEpoch: number;
  readonly clientId: string;
  readonly clientEpoch: number;
  readonly sessionId: string | null;
  /** kid of the signature, for JWTs. */
  readonly kid: string | null;
  /** id of the sealing key, for opaque tokens. */
  readonly tokenKeyId: number | null;
  /** Projects whose clients an introspection wants named; null for everybody who wants no `context`. */
  readonly projectIds: readonly string[] | null;
  /** As the token has it, for whoever makes something of it; null for everybody else. */
  readonly audience: readonly string[] | null;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
}

/** What introspection returns besides the token's own content and the user's claims. */
export interface TokenContext {
  /** Of the active applications of the projects that were asked for. */
  readonly clientIds: readonly string[];
  /** Seconds since the epoch. */
  readonly authTime?: number;
  /** A provider said who they are, and nothing has shown that they were there (`showsOwner` in sessions/proof.ts). */
  readonly isUnseen?: true;
  readonly amr?: readonly string[];
  readonly acr?: string;
}

/** Whom a live token speaks for. */
export interface LiveSubject {
  readonly subject: Subject;
  /** User claims that userinfo gives beside those of the token's scopes. */
  readonly userinfoClaims: readonly string[];
  /** Of the client that the token was issued to; a service user's own token has none. */
  readonly clientProject?: { readonly id: string; readonly assertsRoles: boolean };
  /** The client, as an application; a service user's own token has none. */
  readonly applicationId?: ApplicationId;
  /** Signs the userinfo response, if the client wants it signed. */
  readonly userinfoAlgorithm?: SigningAlgorithm;
  /** What the application is held to that it was issued to. */
  readonly securityProfile?: SecurityProfile;
  /** The organization whose claims webhook adds to userinfo, where the application asks for that. */
  readonly claimsWebhookOf?: OrgId;
  /** Of an application with pairwise subjects: everybody sees the users of its tokens under those subjects. */
  readonly pairwiseSector?: string;
  /** How its application came here, where it registered itself. */
  readonly registration?: ClientRegistration;
  readonly context?: TokenContext;
  /**
   * What of the audience was taken away since: projects of other organizations that are not granted to the one the
   * token was issued to, and their clients.
   */
  readonly lostAudience: readonly string[];
}

export interface LivePersonalAccessToken {
  readonly subject: Subject;
  readonly tokenId: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

/** An access token to be revoked by itself, while its grant stays. */
export interface TokenRevocation {
  readonly jti: string;
  readonly clientId: string;
  readonly orgId: string;
  /** Seconds since the epoch: nothing need be remembered after that. */
  readonly expiresAt: number;
}

/** A role that a user holds right now. */
export interface ProjectRoleOfUser {
  readonly projectId: string;
  readonly key: string;
  /** The organization that gave it, and its primary domain. */
  readonly orgId: string;
  readonly domain: string;
}

/** What the claims about roles and metadata are made of: the organization that owns a user, and the roles they hold. */
export interface RolesAndMetadata {
  readonly orgId: string;
  readonly orgName: string;
  /** Empty for an organization without one. */
  readonly primaryDomain: string;
  readonly roles: readonly ProjectRoleOfUser[];
  /** By key, where it was asked for. */
  readonly metadata: Readonly<Record<string, Buffer>>;
}

/**
 * Whether tokens are live, and what they and userinfo say of their subjects; what they were issued for is in `AuthorizationsStore`.
 */
export abstract class TokensStore {
  /**
   * One prepared statement that answers everything at once: key still good, jti not revoked, grant alive, session
   * not ended, epochs unchanged, subject, client and both organizations active. The subject, or undefined when any
   * of it fails. A service user's own token has no grant and no client but its subject. Never cached.
   */
  abstract findSubjectOfLiveToken(question: TokenQuestion): Promise<LiveSubject | undefined>;

  /** The owner of an unexpired, unrevoked personal access token and the token's id. */
  abstract findSubjectOfPersonalAccessToken(tokenHash: Buffer): Promise<LivePersonalAccessToken | undefined>;

  /** Ends one access token for all replicas, with its event; once, however often it is asked. */
  abstract revoke(revocation: TokenRevocation): Promise<void>;

  /** Client ids of the projects' active applications, for `aud` of JWTs. */
  abstract listClientIds(projectIds: readonly string[]): Promise<readonly string[]>;

  /** A user's claims, whatever its state: for ID tokens that carry them. */
  abstract findSubject(userId: string): Promise<Subject | undefined>;

  /** One prepared statement; never cached, so that a role that is taken away is gone at once. */
  abstract findRolesAndMetadata(
    userId: string,
    wanted: { readonly projectIds: readonly string[]; readonly metadata: boolean },
  ): Promise<RolesAndMetadata | undefined>;

  /**
   * Of ids of projects and of clients, those that applications of the organization may have in their audience: its own,
   * and those of projects granted to it (storage, `mayNameProject`).
   */
  abstract reachableAudience(orgId: OrgId, ids: readonly string[]): Promise<ReadonlySet<string>>;
}
