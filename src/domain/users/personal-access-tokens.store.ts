import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What a personal access token begins with; the rest is 256 random bits. Only its SHA-256 is stored. */
export const PERSONAL_ACCESS_TOKEN_PREFIX = 'pat_';

export interface NewPersonalAccessToken {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly tokenHash: Buffer;
  /** Null for one that does not expire. */
  readonly expiresAt: Date | null;
}

export abstract class PersonalAccessTokensStore {
  /** @returns the token's id, by which it is listed and revoked */
  abstract add(tx: Tx, token: NewPersonalAccessToken): Promise<string>;

  /** Whether this is an unexpired, unrevoked token of that user. */
  abstract isLive(tx: Tx, userId: UserId, tokenHash: Buffer): Promise<boolean>;
}
