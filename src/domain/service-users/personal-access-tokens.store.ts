import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, PersonalAccessTokenId, UserId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What a personal access token begins with; the rest is 256 random bits. Only its SHA-256 is stored. */
export const PERSONAL_ACCESS_TOKEN_PREFIX = 'pat_';

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

/** Tokens that are not revoked; an expired one stays in the list until somebody takes it out. */
export abstract class PersonalAccessTokensStore {
  abstract add(tx: Tx, token: NewPersonalAccessToken): Promise<PersonalAccessToken>;

  abstract list(orgId: OrgId, userId: UserId, page: PageQuery): Promise<Page<PersonalAccessToken>>;

  abstract find(
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<PersonalAccessToken | undefined>;

  /** One conditional statement; undefined when there was no such token, or it was revoked before. */
  abstract revoke(
    tx: Tx,
    orgId: OrgId,
    userId: UserId,
    id: PersonalAccessTokenId,
  ): Promise<ResourceDetails | undefined>;

  /** Whether the user has or had a token, be it expired or revoked by now. */
  abstract hadAny(tx: Tx, userId: UserId): Promise<boolean>;

  /** Whether this is an unexpired, unrevoked token of that user. */
  abstract isLive(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean>;
}
