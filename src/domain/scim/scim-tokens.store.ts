import {
  OrganizationTokensStore,
  type NewOrganizationToken,
  type OrganizationToken,
  type OrganizationTokenSettings,
} from '../organizations/organization-tokens.js';
import type { OrgId, ProjectId, ScimTokenId } from '../shared/ids.js';

/** What a directory may do, and how it is believed. */
export interface ScimTokenSettings extends OrganizationTokenSettings {
  /** The project whose roles are the groups of the directory; without one it has no groups. */
  readonly projectId: ProjectId | null;
  /** Addresses from the directory count as verified. */
  readonly trustsEmails: boolean;
}

export interface ScimToken extends ScimTokenSettings, OrganizationToken<ScimTokenId> {
  /** To the minute. */
  readonly lastUsedAt: Date | null;
}

export type NewScimToken = NewOrganizationToken<ScimTokenSettings>;

/** Tokens by which directories call SCIM. */
export abstract class ScimTokensStore extends OrganizationTokensStore<
  ScimTokenId,
  ScimTokenSettings,
  ScimToken
> {
  /** The token when it lives and its organization is active; notes that it was used. */
  abstract use(orgId: OrgId, tokenHash: Buffer): Promise<ScimToken | undefined>;

  /** Whether one that was used a while ago still lives, and its organization is active. */
  abstract isLive(orgId: OrgId, id: ScimTokenId): Promise<boolean>;
}
