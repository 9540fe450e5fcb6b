import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import type { Acting } from '../permissions/acting.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { LockCoveredUserForUpdate } from '../users/lock-covered-user-for-update.js';
import { LockUserForUpdate } from '../users/lock-user-for-update.js';
import { notHuman } from '../users/require-active-human.js';
import type { HumanUser } from '../users/user.js';
import { UsersStore, type LockedUser } from '../users/users.store.js';

/**
 * The accounts module changes users that exist, for managers (`/management/v1`) and for the users themselves
 * (`/auth/v1/users/me`). Every change begins with the user's row locked and ends with one event.
 */
export interface AccountChange extends Acting {
  readonly orgId: OrgId;
  /** Changed by themselves, or by a manager. */
  readonly userId: UserId;
}

export type LockedHuman = LockedUser & HumanUser;

/** What the changes of an account share: the user's row locked (FOR UPDATE), and the event at the end. */
@Injectable()
export class AccountChanges {
  constructor(
    private readonly users: UsersStore,
    private readonly lockUser: LockUserForUpdate,
    private readonly covered: LockCoveredUserForUpdate,
    private readonly rank: RequireRank,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found */
  async lockForUpdate(tx: Tx, change: AccountChange): Promise<LockedUser> {
    return await this.lockUser.execute(tx, change);
  }

  /** For changes that could make the actor the user, or silence them. @throws ApiError permission-denied, not-found */
  async lockCoveredForUpdate(tx: Tx, change: AccountChange): Promise<LockedUser> {
    return await this.covered.execute(tx, change);
  }

  /** Who answers for a credential that the change makes (`RequireRank.answersFor`). */
  async answersFor(tx: Tx, change: AccountChange): Promise<UserId | undefined> {
    return await this.rank.answersFor(tx, change);
  }

  /** For a change that stands elsewhere. */
  async count(tx: Tx, user: LockedUser): Promise<ResourceDetails> {
    return await this.users.countChange(tx, user);
  }

  async record(
    tx: Tx,
    change: AccountChange,
    details: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, { ...userEvent(change, details, type), fields });
  }
}

/** @throws ApiError failed-precondition for a service user */
export function requireHuman(user: LockedUser): LockedHuman {
  if (user.type !== 'human') throw notHuman();
  return user;
}
