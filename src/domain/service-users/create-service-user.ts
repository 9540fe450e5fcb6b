import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { domainOfUserName, userNameIn } from '../users/names/user-name.js';
import { UsersStore, type CreatedUser } from '../users/users.store.js';
import { requireServiceUserName } from './service-user-name.js';
import type { ServiceUserSettings } from './service-users.store.js';

export interface ServiceUserPlan extends ServiceUserSettings {
  readonly orgId: OrgId;
  /** Given by the caller, or made. */
  readonly userId: UserId | undefined;
  readonly userName: string;
}

/** Adds a program's account; what it authenticates with is added to it afterwards. */
@Injectable()
export class CreateServiceUser {
  constructor(
    private readonly users: UsersStore,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError invalid-argument, already-exists for the name or the id */
  async execute(tx: Tx, plan: ServiceUserPlan, actorId: UserId | null): Promise<CreatedUser> {
    const { orgId, userId: id } = plan;
    const [reserved] = await this.users.reserve([domainOfUserName(plan.userName)], tx);
    const userName = userNameIn(orgId, plan.userName, reserved?.domainOwner);
    requireServiceUserName(userName);
    const created = await this.users.addServiceUser(tx, {
      ...(id === undefined ? {} : { id }),
      orgId,
      userName,
      canonicalUserName: canonicalName(userName),
      name: plan.name,
      description: plan.description ?? null,
      accessTokenType: plan.accessTokenType,
    });
    const added = { orgId, userId: created.id, actorId };
    await this.events.append(tx, userEvent(added, created.details, 'user.machine.added'));
    return created;
  }
}
