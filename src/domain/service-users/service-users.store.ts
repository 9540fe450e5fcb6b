import type { JWK } from 'jose';
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
}
