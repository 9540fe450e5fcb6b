import { Injectable } from '@nestjs/common';
import { ConsentsStore } from '../../domain/consents/consents.store.js';
import { EventLog } from '../../domain/events/event-log.js';
import type { EventFilter } from '../../domain/events/events.store.js';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { PasskeysStore } from '../../domain/passkeys/passkeys.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { EffectiveRoles } from '../../domain/permissions/effective-roles.js';
import { RoleAssignmentsStore } from '../../domain/role-assignments/role-assignments.store.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import { Clock } from '../../domain/shared/clock.js';
import { MOST_METADATA, UsersStore } from '../../domain/users/users.store.js';
import { eventAnswer } from '../shared/event.schemas.js';
import { passkeysAnswer } from '../shared/passkey.schemas.js';
import { sessionsAnswer } from '../shared/session.schemas.js';
import { userAnswer } from '../shared/user.schemas.js';
import type { AccountVisit } from './account-visits.js';

/** Of each list, newest first. The copy says where older ones are left out: the organization has the whole log. */
const MOST_EVENTS = 10_000;
const ALL_ROLES = { offset: 0, limit: 1000, ascending: true } as const;

/**
 * All that is kept about somebody, in the words of the APIs and within bounds. No hash, no seed, no key: nothing that is
 * read here has one. Who else did something is left out, since their data is theirs.
 */
@Injectable()
export class OwnData {
  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly consents: ConsentsStore,
    private readonly roles: EffectiveRoles,
    private readonly roleAssignments: RoleAssignmentsStore,
    private readonly passkeys: PasskeysStore,
    private readonly factors: FactorsStore,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  async read({ user, organization }: AccountVisit): Promise<object> {
    const { orgId, id } = user;
    const allMetadata = { offset: 0, limit: MOST_METADATA.keys, ascending: true };
    const [metadata, sessions, applications, roles, assignments, passkeys, factors, usable] =
      await Promise.all([
        this.users.listMetadata(orgId, id, '', allMetadata),
        this.sessions.listOfUser(orgId, id),
        this.consents.listConnected({ orgId, userId: id }),
        this.roles.everywhere(inPerson(id)),
        this.roleAssignments.list(orgId, id, ALL_ROLES),
        this.passkeys.listOfUser(orgId, id),
        this.factors.listAdded(orgId, id),
        this.factors.findUsable(id),
      ]);
    const about = await this.eventsOf(id, { orgId, aggregateType: 'user', aggregateId: id });
    const by = await this.eventsOf(id, { orgId, actorId: id });
    return {
      createdDate: new Date(this.clock.nowMs()).toISOString(),
      organization: { id: orgId, name: organization?.name },
      user: userAnswer.parse(user),
      metadata: metadata.items.map(({ key, value }) => ({ key, value: value.toString('base64') })),
      sessions: sessionsAnswer.parse({ result: sessions }).result,
      applications,
      roles: roles.map(({ role, orgId: organizationId }) => ({ role, organizationId })),
      projectRoles: assignments.items.map(({ projectId, projectName, roleKeys, state }) => ({
        projectId,
        projectName,
        roleKeys,
        state,
      })),
      passkeys: passkeysAnswer.parse({ result: passkeys }).result,
      factors: factors.map(({ kind, createdAt }) => ({ kind, createdDate: createdAt.toISOString() })),
      recoveryCodesLeft: usable.recoveryCodes,
      eventsAboutYou: about.shown,
      eventsByYou: by.shown,
      olderEventsLeftOut: { aboutYou: about.leftOut, byYou: by.leftOut },
    };
  }

  private async eventsOf(
    self: string,
    filter: EventFilter,
  ): Promise<{ readonly shown: readonly object[]; readonly leftOut: boolean }> {
    const shown: object[] = [];
    for await (const events of this.events.all(filter, { cursor: undefined, ascending: false })) {
      for (const event of events) {
        if (shown.length === MOST_EVENTS) return { shown, leftOut: true };
        const { editor, ...rest } = eventAnswer.parse(event);
        shown.push(editor?.userId === self ? { ...rest, editor } : rest);
      }
    }
    return { shown, leftOut: false };
  }
}
