import type { JWK } from 'jose';
import type { AccessTokenType } from '../authorizations/authorizations.store.js';
import type { TokenPolicy } from '../policies/policies.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, PersonalAccessTokenId, ServiceUserKeyId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ServiceUser, UserState } from '../users/user.js';

/** What can be changed of a service user beside its state and its credentials. */
export type ServiceUserSettings = Omit<ServiceUser, 'type'>;

/** A service user whose row nobody else changes until the transaction ends. */
export interface LockedServiceUser {
  readonly userName: string;
  readonly state: UserState;
  readonly settings: ServiceUserSettings;
  readonly hasSecret: boolean;
}

export interface NewServiceUserKey {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: ServiceUserKeyId;
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly publicJwk: JWK;
  readonly expiresAt: Date;
  /** Null for whoever runs the service, undefined where nobody answers for it. */
  readonly madeBy: UserId | null | undefined;
}

export interface ServiceUserKey {
  readonly id: ServiceUserKeyId;
  readonly expiresAt: Date;
  readonly details: ResourceDetails;
}

export interface NewPersonalAccessToken {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly tokenHash: Buffer;
  /** Null for one that does not expire. */
  readonly expiresAt: Date | null;
  /** Null for whoever runs the service; left out where nobody knows, which is the lowest rank. */
  readonly madeBy?: UserId | null | undefined;
}

export interface PersonalAccessToken {
  /** By which it is listed and revoked. */
  readonly id: PersonalAccessTokenId;
  readonly expiresAt: Date | null;
  readonly details: ResourceDetails;
}

/** A service user at the token endpoint, where it acts for itself: subject and client in one. */
export interface ServiceUserClient {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly userName: string;
  /** An application's `client_id`, or a project's id, is the same. */
  readonly namedLikeClient: boolean;
  readonly tokenEpoch: number;
  readonly accessTokenType: AccessTokenType;
  /** As its organization decided. */
  readonly lifetimes: TokenPolicy;
  /** The user and its organization both are. */
  readonly active: boolean;
  /** Of the projects that were asked for, those that its tokens may be for: its organization's and the service's own. */
  readonly audience: readonly string[];
}

export interface KeyedServiceUser extends ServiceUserClient {
  readonly publicJwk: JWK;
}

/** Service users with what they authenticate with: a secret, keys, personal access tokens. */
export abstract class ServiceUsersStore {
  /** Undefined when the organization has no such user; `human` when it is somebody else than a service user. */
  abstract lock(tx: Tx, orgId: OrgId, id: UserId): Promise<LockedServiceUser | 'human' | undefined>;

  /** Of a locked user: replaces what can be changed. */
  abstract change(tx: Tx, orgId: OrgId, id: UserId, settings: ServiceUserSettings): Promise<ResourceDetails>;

  /**
   * Of a locked user: sets the secret, or takes it away (null). Where there was one, that raises the token
   * epoch: what it obtained ends with it.
   * @param madeBy null for whoever runs the service, undefined where nobody answers for it
   */
  abstract setSecret(
    tx: Tx,
    orgId: OrgId,
    id: UserId,
    secretHash: Buffer | null,
    madeBy: UserId | null | undefined,
  ): Promise<ResourceDetails>;

  /** A key that the user signs its assertions with: the public half. @throws ApiError already-exists for the id */
  abstract addKey(tx: Tx, key: NewServiceUserKey): Promise<ServiceUserKey>;

  abstract listKeys(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<ServiceUserKey>>;

  abstract findKey(orgId: OrgId, userId: UserId, id: ServiceUserKeyId): Promise<ServiceUserKey | undefined>;

  /**
   * Removes the key and raises the user's token epoch with it: what it obtained ends with the commit. Undefined when
   * there was no such key.
   */
  abstract removeKey(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: ServiceUserKeyId,
  ): Promise<ResourceDetails | undefined>;

  abstract addToken(tx: Tx, token: NewPersonalAccessToken): Promise<PersonalAccessToken>;

  /** Tokens that are not revoked; an expired one stays in the list until somebody takes it out. */
  abstract listTokens(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<PersonalAccessToken>>;

  abstract findToken(
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<PersonalAccessToken | undefined>;

  /** One conditional statement; undefined when there was no such token, or it was revoked before. */
  abstract revokeToken(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<ResourceDetails | undefined>;

  /** Whether the user has or had a token, be it expired or revoked by now. */
  abstract hadToken(tx: Tx, userId: UserId): Promise<boolean>;

  /** Whether this is an unexpired, unrevoked token of that user. */
  abstract isLiveToken(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean>;

  /**
   * One prepared statement: the service user that has the secret, among those that the canonical name could mean. No
   * other user can stand in its way: whoever is named alike elsewhere has another secret.
   */
  abstract findBySecret(
    canonicalName: string,
    secretHash: Buffer,
    projectIds: readonly string[],
  ): Promise<ServiceUserClient | undefined>;

  /**
   * The service user with a secret whom the canonical name means; of several one, always the same. For requests that
   * have failed, to know whose secret was guessed at.
   */
  abstract findByName(
    canonicalName: string,
  ): Promise<{ readonly userId: UserId; readonly orgId: OrgId } | undefined>;

  /** One prepared statement: the owner of a key that has not expired. */
  abstract findByKey(
    keyId: string,
    userId: UserId,
    projectIds: readonly string[],
  ): Promise<KeyedServiceUser | undefined>;
}
