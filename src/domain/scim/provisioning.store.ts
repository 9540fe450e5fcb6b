import type { ProjectRole } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId, UserId } from '../shared/ids.js';
import type { Page } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AnyOf, UserFilter } from '../users/user-filter.js';
import type { HumanUser, UserRecord } from '../users/user.js';

export type ProvisionedHuman = UserRecord & HumanUser;

/** What a directory said of a user that is no part of the user. */
export interface DirectoryEntry {
  readonly externalId: string | null;
  /** As the directory wrote it. */
  readonly userName: string;
  /** Whether an administrator had locked the user when a directory made them inactive. */
  readonly wasLocked: boolean;
}

/** A role of the token's project. */
export interface HeldGroup {
  readonly key: string;
  readonly displayName: string;
}

/** A role of a project, as a directory knows it. */
export interface ProvisionedGroup extends ProjectRole {
  readonly externalId: string | null;
  readonly details: ResourceDetails;
}

/** Whose groups: of an organization's own project. */
export interface GroupPlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
}

export type GroupCondition =
  /** `displayName` whatever its case. */
  | { readonly field: 'key' | 'displayName' | 'externalId'; readonly value: string }
  | { readonly field: 'member'; readonly value: UserId };

/**
 * What directories ask for, and what they know it by: people of an organization, for service users are none of theirs, and the
 * roles of a project as groups.
 */
export abstract class ProvisioningStore {
  /** People, ordered by id, from the primary: what was just written is found. @throws ApiError resource-exhausted */
  abstract searchUsers(
    orgId: OrgId,
    filters: readonly UserFilter[],
    page: { readonly offset: number; readonly limit: number },
  ): Promise<Page<ProvisionedHuman>>;

  /** How many of the ids are people of the organization. */
  abstract countPeople(tx: Tx, orgId: OrgId, ids: readonly UserId[]): Promise<number>;

  abstract entriesOf(
    orgId: OrgId,
    ids: readonly UserId[],
    tx?: Tx,
  ): Promise<ReadonlyMap<UserId, DirectoryEntry>>;

  abstract groupsOf(
    orgId: OrgId,
    projectId: ProjectId,
    ids: readonly UserId[],
  ): Promise<ReadonlyMap<UserId, readonly HeldGroup[]>>;

  /** @throws ApiError already-exists where the id is another user's of the organization */
  abstract putEntry(tx: Tx, orgId: OrgId, userId: UserId, entry: DirectoryEntry): Promise<void>;

  /** Groups, ordered by key. */
  abstract searchGroups(
    place: GroupPlace,
    filter: AnyOf<GroupCondition>,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly ProvisionedGroup[]; readonly total: number }>;

  abstract findGroup(place: GroupPlace, key: string, tx?: Tx): Promise<ProvisionedGroup | undefined>;

  /** Nobody else changes the group by SCIM before the transaction ends; false where it is gone. */
  abstract lockGroup(tx: Tx, place: GroupPlace, key: string): Promise<boolean>;

  /** People of this organization: another one may have been granted the project. Whichever the limit leaves, ordered by id. */
  abstract membersOf(
    place: GroupPlace,
    key: string,
    limit: number | undefined,
    tx?: Tx,
  ): Promise<readonly UserId[]>;

  /** Another one after every change of the group and of who is in it, and never one that it had before. */
  abstract versionOf(place: GroupPlace, key: string, tx?: Tx): Promise<string | undefined>;

  /** @throws ApiError already-exists where the id is another group's of the organization */
  abstract setGroupId(tx: Tx, place: GroupPlace, key: string, externalId: string | null): Promise<void>;
}
