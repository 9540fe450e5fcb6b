import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { RequireRank } from '../permissions/require-rank.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { userNotFound } from '../users/find-user.js';
import type { HumanUser } from '../users/user.js';
import { AccountsStore, type HeldUser } from './accounts.store.js';

/**
 * The accounts room changes users that exist, for managers (`/management/v1`) and for the users themselves
 * (`/auth/v1/users/me`). Every change begins with the user's row held and ends with one event.
 */
export interface AccountChange extends Acting {
  readonly orgId: OrgId;
  /** Changed by themselves, or by a manager. */
  readonly userId: UserId;
}

export type HeldHuman = HeldUser & { readonly is: HumanUser };

@Injectable()
export class HoldAccount {
  constructor(
    private readonly accounts: AccountsStore,
    private readonly rank: RequireRank,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found */
  async hold(tx: Tx, { orgId, userId }: AccountChange): Promise<HeldUser> {
    const user = await this.accounts.hold(tx, orgId, userId);
    if (user === undefined) throw userNotFound();
    return user;
  }

  /** For changes that could make the actor the user, or silence them. @throws ApiError permission-denied, not-found */
  async holdCovered(tx: Tx, change: AccountChange): Promise<HeldUser> {
    const user = await this.hold(tx, change);
    await this.rank.check(tx, change, change.userId);
    return user;
  }

  async record(
    tx: Tx,
    { orgId, userId, actorId }: AccountChange,
    { sequence }: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    const subject = { orgId, aggregateType: 'user' as const, aggregateId: userId };
    await this.events.append(tx, { ...subject, sequence, type, actorId, fields });
  }
}

/** @throws ApiError failed-precondition for a service user */
export function requireHuman(user: HeldUser): HeldHuman {
  if (user.is.kind !== 'human') {
    throw new ApiError('failed-precondition', 'User is not a human', 'COMMAND-5N9ds');
  }
  return { ...user, is: user.is };
}
