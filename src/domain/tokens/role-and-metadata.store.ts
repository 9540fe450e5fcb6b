/** A role that a user holds right now. */
export interface HeldRole {
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
  readonly roles: readonly HeldRole[];
  /** By key, where it was asked for. */
  readonly metadata: Readonly<Record<string, Buffer>>;
}

export abstract class RoleAndMetadataStore {
  /** One prepared statement; never cached, so that a role that is taken away is gone at once. */
  abstract find(
    userId: string,
    wanted: { readonly projectIds: readonly string[]; readonly metadata: boolean },
  ): Promise<RolesAndMetadata | undefined>;
}
