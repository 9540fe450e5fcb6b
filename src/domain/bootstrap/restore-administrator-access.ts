import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore, OPERATOR, type AuditEvent } from '../events/events.store.js';
import { defaultAttemptPolicy } from '../passwords/attempts/attempt-policy.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { InstanceOwner } from '../permissions/permissions.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';
import { UsersStore } from '../users/users.store.js';

/** Takes away what would keep an administrator out: the state that they are in, and attempts that were counted. */
@Injectable()
export class RestoreAdministratorAccess {
  constructor(
    private readonly users: UsersStore,
    private readonly passwords: PasswordsStore,
    private readonly events: EventsStore,
  ) {}

  /** With their row locked. @returns what kept them out */
  async execute(tx: Tx, owner: InstanceOwner): Promise<'inactive' | 'locked' | undefined> {
    const { orgId, userId } = owner;
    const was = await this.changeState(tx, owner);
    await this.passwords.clearAttempts(tx, orgId, userId, defaultAttemptPolicy);
    return was;
  }

  private async changeState(tx: Tx, owner: InstanceOwner): Promise<'inactive' | 'locked' | undefined> {
    const { orgId, userId } = owner;
    const state = await this.users.findState(tx, orgId, userId);
    if (state === 'inactive') {
      const details = await this.users.reactivate(tx, orgId, userId);
      await this.events.append(tx, operatorEvent(owner, details, 'user.reactivated'));
      return state;
    }
    if (state !== 'locked') return undefined;
    const details = await this.users.unlock(tx, orgId, userId);
    await this.events.append(tx, operatorEvent(owner, details, 'user.unlocked'));
    return state;
  }
}

/** What the operator's command did to an administrator whose row is locked, so that their state is what was read. */
export function operatorEvent(
  { orgId, userId }: InstanceOwner,
  details: ResourceDetails | undefined,
  type: EventType,
  osUser?: string,
): AuditEvent {
  if (details === undefined) throw new Error(`${type} did not come about`);
  return {
    orgId,
    aggregateType: 'user',
    aggregateId: userId,
    sequence: details.sequence,
    type,
    actorId: OPERATOR,
    ...(osUser === undefined ? {} : { data: { osUser } }),
  };
}
