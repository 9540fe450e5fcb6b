import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ProjectsStore } from '../projects/projects.store.js';
import { ManageRoleAssignments } from '../role-assignments/manage-role-assignments.js';
import { RoleAssignmentsStore, type RoleAssignment } from '../role-assignments/role-assignments.store.js';
import type { OrgId, ProjectId, UserId } from '../shared/ids.js';
import type { PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { MappedIdentity } from './claim-mapping.js';

const ALL: PageQuery = { offset: 0, limit: 1000, ascending: true };

interface RoleHolder {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

/** What a user has of the projects that a mapping gives roles of, read before the transaction. */
export type RolesBefore = readonly {
  readonly projectId: ProjectId;
  readonly assignment: RoleAssignment | undefined;
  /** That the project has now. */
  readonly known: ReadonlySet<string>;
}[];

/** Gives and takes the roles that a provider's mapping knows, by what the provider says. */
@Injectable()
export class MappedRoles {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly assignments: RoleAssignmentsStore,
    private readonly roles: ManageRoleAssignments,
  ) {}

  /** @param userId undefined for somebody who is not there yet */
  async before(orgId: OrgId, userId: UserId | undefined, { roles }: MappedIdentity): Promise<RolesBefore> {
    const projectIds = [...new Set(roles.map(({ rule }) => rule.projectId))];
    if (projectIds.length === 0) return [];
    const held = userId === undefined ? [] : (await this.assignments.list(orgId, userId, ALL)).items;
    return await Promise.all(
      projectIds.map(async (projectId) => {
        const isOwn = (await this.projects.find(orgId, projectId)) !== undefined;
        const known = isOwn ? (await this.projects.listRoles({ orgId, projectId }, ALL)).items : [];
        return {
          projectId,
          assignment: held.find((one) => one.projectId === projectId),
          known: new Set(known.map(({ key }) => key)),
        };
      }),
    );
  }

  async assign(tx: Tx, user: RoleHolder, mapped: MappedIdentity, rolesBefore: RolesBefore): Promise<void> {
    for (const before of rolesBefore) await this.ofProject(tx, user, mapped, before);
  }

  /** Of the roles that the mapping knows; what else somebody has of the project they keep. */
  private async ofProject(
    tx: Tx,
    { orgId, userId }: RoleHolder,
    { roles }: MappedIdentity,
    { projectId, assignment, known }: RolesBefore[number],
  ): Promise<void> {
    const rules = roles.filter(({ rule }) => rule.projectId === projectId && known.has(rule.roleKey));
    const given = new Set(rules.filter(({ holds }) => holds).map(({ rule }) => rule.roleKey));
    const ruled = new Set(rules.map(({ rule }) => rule.roleKey));
    const before = assignment?.roleKeys ?? [];
    const after = [...new Set([...before.filter((key) => !ruled.has(key)), ...given])].sort();
    if (isDeepStrictEqual([...before].sort(), after)) return;
    if (assignment === undefined) {
      await this.roles.add(tx, { orgId, userId, projectId, roleKeys: after }, userId);
    } else if (after.length === 0) {
      await this.roles.remove(tx, { orgId, userId, id: assignment.id }, userId);
    } else {
      await this.roles.replaceRoles(tx, { orgId, userId, id: assignment.id }, after, userId);
    }
  }
}
