import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore, type AuditEvent } from '../events/events.store.js';
import { userEvent } from '../events/user-event.js';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import type { NoticeTemplate } from '../notifications/notification-template.js';
import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { LockUserForUpdate } from '../users/lock-user-for-update.js';
import { UsersStore, type LockedUser } from '../users/users.store.js';

interface FactorChange {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly actorId: UserId;
}

export interface ChangeToRecord {
  readonly type: EventType;
  /** The mail to its user. */
  readonly template: NoticeTemplate;
  readonly data?: AuditEvent['data'];
}

/** A change of a user's second factors: under the lock of their row, with a mail to the user and an event. */
@Injectable()
export class RecordFactorChange {
  constructor(
    private readonly lockUser: LockUserForUpdate,
    private readonly users: UsersStore,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly events: EventsStore,
  ) {}

  /** @throws ApiError not-found */
  async lock(tx: Tx, change: FactorChange): Promise<LockedUser> {
    return await this.lockUser.execute(tx, change);
  }

  async execute(
    tx: Tx,
    change: FactorChange,
    user: LockedUser,
    { type, template, data = {} }: ChangeToRecord,
  ): Promise<ResourceDetails> {
    const { orgId, userId } = change;
    const details = await this.users.countChange(tx, user);
    await this.enqueueNotification.notify(tx, { orgId, userId, template });
    await this.events.append(tx, { ...userEvent(change, details, type), data });
    return details;
  }
}
