import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId, ScimTokenId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What a directory may do, and how it is believed. */
export interface ScimTokenSettings {
  /** For people, to tell one directory from another. */
  readonly name: string;
  /** The project whose roles are the groups of the directory; without one it has no groups. */
  readonly projectId: ProjectId | null;
  /** Addresses from the directory count as verified. */
  readonly trustsEmails: boolean;
  readonly expiresAt: Date | null;
}

export interface ScimToken extends ScimTokenSettings {
  readonly id: ScimTokenId;
  readonly orgId: OrgId;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly details: ResourceDetails;
}

export interface NewScimToken extends ScimTokenSettings {
  readonly orgId: OrgId;
  readonly tokenHash: Buffer;
}

export abstract class ScimTokensStore {
  /** @throws ApiError failed-precondition where there are too many, not-found for the project */
  abstract add(tx: Tx, token: NewScimToken): Promise<ScimToken>;

  abstract list(orgId: OrgId, page: PageQuery): Promise<Page<ScimToken>>;

  abstract find(orgId: OrgId, id: ScimTokenId): Promise<ScimToken | undefined>;

  /** It ends on every replica with the commit. */
  abstract remove(tx: Tx, orgId: OrgId, id: ScimTokenId): Promise<ResourceDetails | undefined>;

  /** The token when it lives and its organization is active; notes that it was used. */
  abstract use(orgId: OrgId, tokenHash: Buffer): Promise<ScimToken | undefined>;

  /** Whether one that was used a while ago still lives, and its organization is active. */
  abstract isLive(orgId: OrgId, id: ScimTokenId): Promise<boolean>;
}
