import type { ProjectRole } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AnyOf } from '../users/user-filter.js';

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

export abstract class ProvisionedGroupsStore {
  /** Ordered by key. */
  abstract search(
    place: GroupPlace,
    filter: AnyOf<GroupCondition>,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly ProvisionedGroup[]; readonly total: number }>;

  abstract find(place: GroupPlace, key: string, tx?: Tx): Promise<ProvisionedGroup | undefined>;

  /** Nobody else changes the group by SCIM before the transaction ends; false where it is gone. */
  abstract lock(tx: Tx, place: GroupPlace, key: string): Promise<boolean>;

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
  abstract setExternalId(tx: Tx, place: GroupPlace, key: string, externalId: string | null): Promise<void>;
}
