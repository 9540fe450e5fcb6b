import { Injectable } from '@nestjs/common';
import { ConsentsStore } from '../../domain/consents/consents.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { EffectiveRoles } from '../../domain/permissions/effective-roles.js';
import { RoleAssignmentsStore } from '../../domain/role-assignments/role-assignments.store.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { User } from '../../domain/users/user.js';
import { sessionsAnswer } from '../shared/schemas/session.schemas.js';

const ALL_ROLES = { offset: 0, limit: 1000, ascending: true } as const;

/** Where somebody is signed in, and what they may do there. */
@Injectable()
export class OwnAccess {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly consents: ConsentsStore,
    private readonly roles: EffectiveRoles,
    private readonly roleAssignments: RoleAssignmentsStore,
  ) {}

  async find({ orgId, id }: Pick<User, 'orgId' | 'id'>) {
    const [sessions, applications, roles, assignments] = await Promise.all([
      this.sessions.listOfUser(orgId, id),
      this.consents.listConnected({ orgId, userId: id }),
      this.roles.everywhere(inPerson(id)),
      this.roleAssignments.list(orgId, id, ALL_ROLES),
    ]);
    return {
      sessions: sessionsAnswer.parse({ result: sessions }).result,
      applications,
      roles: roles.map(({ role, orgId: organizationId }) => ({ role, organizationId })),
      projectRoles: assignments.items.map(({ projectId, projectName, roleKeys, state }) => ({
        projectId,
        projectName,
        roleKeys,
        state,
      })),
    };
  }
}
