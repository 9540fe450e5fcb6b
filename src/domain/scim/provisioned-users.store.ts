import type { OrgId, ProjectId, UserId } from '../shared/ids.js';
import type { Page } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { UserFilter } from '../users/user-filter.js';
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

/** People of an organization as directories ask for them: service users are none of theirs. */
export abstract class ProvisionedUsersStore {
  /** Ordered by id, from the primary: what was just written is found. @throws ApiError resource-exhausted */
  abstract search(
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
  abstract put(tx: Tx, orgId: OrgId, userId: UserId, entry: DirectoryEntry): Promise<void>;
}
