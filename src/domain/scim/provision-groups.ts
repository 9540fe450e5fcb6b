import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { ProjectRoles } from '../projects/project-roles.js';
import { ManageRoleAssignments } from '../role-assignments/manage-role-assignments.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import type { AnyOf } from '../users/user-filter.js';
import { changedMeanwhile } from './provisioned-user.js';
import {
  ProvisioningStore,
  type GroupCondition,
  type GroupPlace,
  type ProvisionedGroup,
} from './provisioning.store.js';
import { actorOf } from './scim-tokens.js';
import type { ScimToken } from './scim-tokens.store.js';

/** One transaction gives and takes so many roles at most: a directory sends a large group in parts. */
const MOST_MEMBER_CHANGES = 1_000;

/** What a directory wants of a group; what is left out stays. */
export interface WantedGroup {
  readonly displayName?: string;
  readonly externalId?: string | null;
  readonly members?: MemberChange;
}

export type MemberChange =
  | { readonly add: ReadonlySet<UserId>; readonly remove: ReadonlySet<UserId> }
  | { readonly replace: ReadonlySet<UserId> };

export function groupNotFound(): ApiError {
  return new ApiError('not-found', 'Group could not be found', 'SCIM-g3Np5');
}

/**
 * The groups of a directory are the roles of one project, which the token names: what an application reads in its tokens, and
 * nothing that the service itself goes by. Roles of an organization or of the instance (`permissions.ts`) are no groups, so
 * that no directory makes an owner.
 */
@Injectable()
export class ProvisionGroups {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly provisioning: ProvisioningStore,
    private readonly roles: ProjectRoles,
    private readonly assignments: ManageRoleAssignments,
    private readonly events: EventsStore,
  ) {}

  /** None without a project. */
  async search(
    token: ScimToken,
    filter: AnyOf<GroupCondition>,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly ProvisionedGroup[]; readonly total: number }> {
    const place = placeOf(token);
    return place === undefined
      ? { items: [], total: 0 }
      : await this.provisioning.searchGroups(place, filter, page);
  }

  /** @throws ApiError not-found */
  async find(token: ScimToken, key: string): Promise<{ group: ProvisionedGroup; version: string }> {
    const place = requirePlace(token, groupNotFound);
    const group = await this.provisioning.findGroup(place, key);
    const version = await this.provisioning.versionOf(place, key);
    if (group === undefined || version === undefined) throw groupNotFound();
    return { group, version };
  }

  /** As many as the limit, ordered by id. */
  async membersOf(token: ScimToken, key: string, limit: number): Promise<readonly UserId[]> {
    const place = placeOf(token);
    return place === undefined ? [] : await this.provisioning.membersOf(place, key, limit);
  }

  /** @returns its key @throws ApiError failed-precondition without a project, already-exists, invalid-argument */
  async create(
    token: ScimToken,
    {
      displayName,
      externalId,
      members,
    }: Required<Omit<WantedGroup, 'members'>> & { members: ReadonlySet<UserId> },
  ): Promise<string> {
    const place = requirePlace(token, noProject);
    const key = keyOf(displayName);
    requireFewMembers(members.size);
    await this.unitOfWork.run(async (tx) => {
      await this.roles.add(tx, place, { key, displayName, group: '' }, actorOf(token));
      if (externalId !== null) await this.provisioning.setGroupId(tx, place, key, externalId);
      await this.writeMembers(tx, token, place, key, { add: members, remove: new Set() });
    });
    return key;
  }

  /** All of it or nothing. @throws ApiError not-found, precondition-failed, invalid-argument, already-exists */
  async change(
    token: ScimToken,
    key: string,
    version: readonly string[] | undefined,
    wanted: WantedGroup,
  ): Promise<void> {
    const place = requirePlace(token, groupNotFound);
    await this.unitOfWork.run(async (tx) => {
      const now = await this.lock(tx, place, key, version);
      const { displayName = now.displayName, externalId = now.externalId, members } = wanted;
      if (displayName !== now.displayName) {
        await this.roles.replace(tx, place, { key, displayName, group: now.group }, actorOf(token));
      }
      if (externalId !== now.externalId) {
        await this.writeExternalId(tx, token, place, { ...now, displayName }, externalId);
      }
      if (members !== undefined) await this.writeMembers(tx, token, place, key, members);
    });
  }

  /** Whoever was in it loses the role. @throws ApiError not-found, precondition-failed */
  async delete(token: ScimToken, key: string, version: readonly string[] | undefined): Promise<void> {
    const place = requirePlace(token, groupNotFound);
    await this.unitOfWork.run(async (tx) => {
      await this.lock(tx, place, key, version);
      await this.roles.remove(tx, place, key, actorOf(token));
    });
  }

  private async lock(
    tx: Tx,
    place: GroupPlace,
    key: string,
    version: readonly string[] | undefined,
  ): Promise<ProvisionedGroup> {
    const isThere = await this.provisioning.lockGroup(tx, place, key);
    const group = isThere ? await this.provisioning.findGroup(place, key, tx) : undefined;
    if (group === undefined) throw groupNotFound();
    if (version !== undefined) {
      const found = await this.provisioning.versionOf(place, key, tx);
      if (found === undefined || !version.includes(found)) throw changedMeanwhile();
    }
    return group;
  }

  private async writeExternalId(
    tx: Tx,
    token: ScimToken,
    place: GroupPlace,
    { key, displayName, group }: ProvisionedGroup,
    externalId: string | null,
  ): Promise<void> {
    await this.provisioning.setGroupId(tx, place, key, externalId);
    const { sequence } = await this.roles.touch(tx, place, { key, displayName, group });
    await this.events.append(tx, {
      orgId: place.orgId,
      aggregateType: 'project_role',
      aggregateId: `${place.projectId} ${key}`,
      sequence,
      type: 'project.role.external_id.changed',
      actorId: actorOf(token),
      fields: ['externalId'],
      data: { projectId: place.projectId, key },
    });
  }

  private async writeMembers(
    tx: Tx,
    token: ScimToken,
    place: GroupPlace,
    key: string,
    change: MemberChange,
  ): Promise<void> {
    const { add, remove } =
      'replace' in change ? await this.difference(tx, place, key, change.replace) : change;
    requireFewMembers(add.size + remove.size);
    await this.requirePeople(tx, place, add);
    const actor = actorOf(token);
    // All in the order of their ids, so that two that change the same people wait for each other in one order: groups of one project
    // share an assignment of each.
    for (const userId of [...new Set([...remove, ...add])].sort()) {
      const of = { ...place, userId };
      if (remove.has(userId)) await this.assignments.take(tx, of, key, actor);
      if (add.has(userId)) await this.assignments.give(tx, of, key, actor);
    }
  }

  private async difference(tx: Tx, place: GroupPlace, key: string, wanted: ReadonlySet<UserId>) {
    const now = new Set(await this.provisioning.membersOf(place, key, undefined, tx));
    return {
      add: new Set([...wanted].filter((id) => !now.has(id))),
      remove: new Set([...now].filter((id) => !wanted.has(id))),
    };
  }

  /** Service users, and users of another organization, are nobody here. */
  private async requirePeople(tx: Tx, { orgId }: GroupPlace, ids: ReadonlySet<UserId>): Promise<void> {
    if (ids.size === 0 || (await this.provisioning.countPeople(tx, orgId, [...ids])) === ids.size) return;
    throw new ApiError('invalid-argument', 'members names a user who could not be found', 'SCIM-m6Ub4');
  }
}

function placeOf({ orgId, projectId }: ScimToken): GroupPlace | undefined {
  return projectId === null ? undefined : { orgId, projectId };
}

function requirePlace(token: ScimToken, refusal: () => ApiError): GroupPlace {
  const place = placeOf(token);
  if (place === undefined) throw refusal();
  return place;
}

function noProject(): ApiError {
  return new ApiError(
    'failed-precondition',
    'This token names no project, and groups are roles of one',
    'SCIM-p8Wd1',
  );
}

/** @throws ApiError invalid-argument */
export function requireFewMembers(changes: number): void {
  if (changes <= MOST_MEMBER_CHANGES) return;
  const text = `A request can add and remove ${MOST_MEMBER_CHANGES} members of a group: send them in parts`;
  throw new ApiError('invalid-argument', text, 'SCIM-n4Mt9');
}

/** What of the name may stand in a token (`roleKey`): `Sales Team` is `Sales-Team`. @throws ApiError invalid-argument */
function keyOf(displayName: string): string {
  const key = displayName
    .normalize('NFKD')
    .trim()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^!#-[\]-~]/g, '');
  if (key !== '' && key.length <= 200) return key;
  const text =
    'displayName must have a letter of the Latin alphabet or a digit: the key of the role is made of it';
  throw new ApiError('invalid-argument', text, 'SCIM-k5Nm3');
}
